//! What the component's calls cost: instructions at one length and at four times
//! that length, for every dialect and every text that is known to have made a fence
//! slow.

use murmur_fence::INFIX;
use wasmtime::component::{Component, Linker, ResourceAny};
use wasmtime::{Config, Engine, Store};
use xtask::Guest;

mod bindings {
    wasmtime::component::bindgen!({ path: "../wit", world: "murmur:fence/fence-component" });
}

use bindings::FenceComponent;
use bindings::exports::murmur::fence::fence::Mode;
use bindings::exports::murmur::fence::nonce::{Settings, Style};

const TOKEN: &str = "7f3a91c2d4e5f607";

/// Bytes of the shorter text.
const LENGTH: usize = 1 << 15;

/// The fence component, with its instructions counted.
struct Metered {
    store: Store<()>,
    exports: FenceComponent,
}

impl Metered {
    fn start() -> Self {
        let mut config = Config::new();
        config.consume_fuel(true);
        let engine = Engine::new(&config).unwrap();
        let path = xtask::component(Guest::Fence).unwrap();
        let component = Component::from_file(&engine, path).unwrap();
        let mut store = Store::new(&engine, ());
        store.set_fuel(u64::MAX).unwrap();
        let linker = Linker::new(&engine);
        let exports = FenceComponent::instantiate(&mut store, &component, &linker).unwrap();
        Metered { store, exports }
    }

    /// The instructions of a call, freeing its answer included.
    fn cost(&mut self, call: impl FnOnce(&FenceComponent, &mut Store<()>)) -> u64 {
        let before = self.store.get_fuel().unwrap();
        call(&self.exports, &mut self.store);
        before - self.store.get_fuel().unwrap()
    }

    fn nonce(&mut self) -> ResourceAny {
        let settings = Settings { token: TOKEN.into(), name: None, style: Style::Angle };
        let nonce = self.exports.murmur_fence_nonce().nonce();
        nonce.call_create(&mut self.store, &settings).unwrap().unwrap()
    }

    fn tags(&mut self) -> ResourceAny {
        let tags = self.exports.murmur_fence_tags().tags();
        tags.call_create(&mut self.store, None).unwrap().unwrap()
    }
}

/// A beginning, and what is repeated after it.
fn hostile() -> Vec<(String, String)> {
    let of_any = [
        ("<", " "),
        ("<", "/"),
        ("<", "\u{3000}"),
        ("", "<"),
        ("", "</"),
        ("", "< "),
        ("", "a"),
        ("", "<data "),
        ("", "<data a=\""),
        ("<data a=\"", "x"),
        ("<data a=\"\"", " a=\"\""),
        ("<data", "-"),
        ("", "<data>"),
        ("", "</data>"),
        ("<tool_result><data>", "</data>"),
        ("", "<untrusted-content source="),
        ("<untrusted-content source=", "x"),
        ("", "</untrusted-content>"),
        ("", "<untrusted-conten"),
        ("", "&lt;/untrusted-"),
        ("<", "&#"),
        ("<", "\u{200b}"),
    ];
    let of_nonce = ["<<<DOC:T>>>", "<<<DOC:T>>> x\n", "<<<END:T>>>", "<<<END:T>>", "T"];
    let of_nonce = of_nonce.map(|unit| (String::new(), unit.replace('T', TOKEN)));
    let more = [TOKEN[..15].to_string(), format!("<{INFIX}")].map(|unit| (String::new(), unit));
    let of_any = of_any.map(|(start, unit)| (start.to_string(), unit.to_string()));
    of_any.into_iter().chain(of_nonce).chain(more).collect()
}

type Call<'c> = Box<dyn Fn(&FenceComponent, &mut Store<()>, &str) + 'c>;

/// Every call that takes a text of any length.
fn calls(nonce: ResourceAny, tags: ResourceAny) -> Vec<(&'static str, Call<'static>)> {
    macro_rules! call {
        ($name:literal, |$exports:ident, $store:ident, $text:ident| $call:expr) => {{
            let call = move |$exports: &FenceComponent, $store: &mut Store<()>, $text: &str| {
                $call.unwrap();
            };
            ($name, Box::new(call) as Call)
        }};
    }
    let (strict, x) = (Mode::Strict, "x");
    vec![
        call!("wrap", |e, s, t| e.murmur_fence_fence().call_wrap(s, x, t)),
        call!("neutralise", |e, s, t| e.murmur_fence_fence().call_neutralise(s, t)),
        call!("segments", |e, s, t| e.murmur_fence_fence().call_segments(s, t)),
        call!("verify", |e, s, t| e.murmur_fence_fence().call_verify(s, t, strict)),
        call!("restore", |e, s, t| e.murmur_fence_fence().call_restore(s, t)),
        call!("lookalikes", |e, s, t| e.murmur_fence_fence().call_lookalikes(s, t)),
        call!("nonce.wrap", |e, s, t| e.murmur_fence_nonce().nonce().call_wrap(s, nonce, x, t)),
        call!("nonce.wrap under it", |e, s, t| {
            e.murmur_fence_nonce().nonce().call_wrap(s, nonce, t, x)
        }),
        call!("nonce.defang", |e, s, t| e.murmur_fence_nonce().nonce().call_defang(s, nonce, t)),
        call!("nonce.segments", |e, s, t| {
            e.murmur_fence_nonce().nonce().call_segments(s, nonce, t)
        }),
        call!("nonce.verify", |e, s, t| {
            e.murmur_fence_nonce().nonce().call_verify(s, nonce, t, strict)
        }),
        call!("nonce.restore", |e, s, t| e.murmur_fence_nonce().nonce().call_restore(s, nonce, t)),
        call!("tags.wrap", |e, s, t| e.murmur_fence_tags().tags().call_wrap(s, tags, x, t)),
        call!("tags.wrap under it", |e, s, t| {
            e.murmur_fence_tags().tags().call_wrap(s, tags, t, x)
        }),
        call!("tags.defang", |e, s, t| e.murmur_fence_tags().tags().call_defang(s, tags, t)),
        call!("tags.segments", |e, s, t| e.murmur_fence_tags().tags().call_segments(s, tags, t)),
        call!("tags.verify", |e, s, t| {
            e.murmur_fence_tags().tags().call_verify(s, tags, t, strict)
        }),
        call!("tags.restore", |e, s, t| e.murmur_fence_tags().tags().call_restore(s, tags, t)),
    ]
}

#[test]
fn four_times_the_text_costs_about_four_times_as_much() {
    let mut guest = Metered::start();
    let (nonce, tags) = (guest.nonce(), guest.tags());
    let mut slow = Vec::new();
    for (start, unit) in hostile() {
        let text = |length: usize| start.clone() + &unit.repeat(length / unit.len());
        let (short, long) = (text(LENGTH), text(4 * LENGTH));
        for (name, call) in calls(nonce, tags) {
            let mut cost = |text: &str| guest.cost(|exports, store| call(exports, store, text));
            // The first call may grow the memory and lay out its free list.
            cost(&long);
            let (at_n, at_4n) = (cost(&short), cost(&long));
            // All of it was read, be it by vectors of 16 bytes.
            assert!(at_n > LENGTH as u64 / 16, "{name} of {start:?} and {unit:?}: {at_n}");
            if at_4n as f64 > 4.3 * at_n as f64 {
                slow.push(format!(
                    "{name} of {start:?} and {unit:?} over and over: {at_n}, {at_4n}"
                ));
            }
        }
    }
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}
