//! The fence's interfaces in one instance, each looked up when it is first called:
//! finding and checking all their functions costs more than starting the instance.

use crate::bindings::fence::exports::murmur::fence as bindings;
use crate::instance::State;
use std::sync::{Arc, OnceLock};
use wasmtime::Store;
use wasmtime::component::{Instance, InstancePre};

macro_rules! interfaces {
    ($($interface:ident),*) => {
        /// Where a component has the functions of each interface.
        pub(crate) struct Indices {
            $($interface: bindings::$interface::GuestIndices,)*
        }

        impl Indices {
            pub(crate) fn new(linked: &InstancePre<State>) -> wasmtime::Result<Self> {
                Ok(Indices {
                    $($interface: bindings::$interface::GuestIndices::new(linked)?,)*
                })
            }
        }

        /// The interfaces of one instance.
        pub(crate) struct Interfaces {
            indices: Arc<Indices>,
            instance: Instance,
            $($interface: OnceLock<bindings::$interface::Guest>,)*
        }

        impl Interfaces {
            pub(crate) fn new(indices: &Arc<Indices>, instance: Instance) -> Self {
                let indices = Arc::clone(indices);
                Interfaces { indices, instance, $($interface: OnceLock::new(),)* }
            }

            /// Looks every function up with its type, which the runtime does for an
            /// instance only.
            pub(crate) fn check(&self, store: &mut Store<State>) -> wasmtime::Result<()> {
                $(self.$interface(store)?;)*
                Ok(())
            }

            $(pub(crate) fn $interface(
                &self,
                store: &mut Store<State>,
            ) -> wasmtime::Result<&bindings::$interface::Guest> {
                if let Some(known) = self.$interface.get() {
                    return Ok(known);
                }
                let loaded = self.indices.$interface.load(store, &self.instance)?;
                Ok(self.$interface.get_or_init(|| loaded))
            })*
        }
    };
}

interfaces!(audit, fence, inspect, lanes, nonce, rules, tags);
