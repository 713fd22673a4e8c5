//! The service in the test's own process: a request goes in, an answer comes out.
//!
//! What a server does in between is done by `wasmtime-wasi-http`, which is also what
//! `wasmtime serve` is made of. Every request has an instance of its own, as there.

use std::collections::{BTreeSet, VecDeque};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use http_body_util::BodyExt;
use hyper::body::{Body, Bytes, Frame};
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use wasmtime::component::{Component, Linker, ResourceTable};
use wasmtime::{Engine, ResourceLimiter, Store};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::p2::bindings::ProxyPre;
use wasmtime_wasi_http::p2::bindings::http::types::Scheme;
use wasmtime_wasi_http::{
    Error, RequestOptions, WasiBody, WasiHttpCtx, WasiHttpCtxView, WasiHttpHooks, WasiHttpView,
};

/// The memory that the README grants an instance, in bytes.
pub const MEMORY: usize = 256 << 20;

/// An answer, and what it took.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: hyper::HeaderMap,
    pub body: Vec<u8>,
    /// How many bytes of the request's body were taken.
    pub taken: usize,
    /// The size of the instance's memory in the end, in bytes.
    pub memory: usize,
}

impl Reply {
    /// The body, which has to be JSON and declared so, with its length.
    pub fn json(&self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"));
        assert_eq!(self.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(self.header("content-length"), Some(self.body.len().to_string().as_str()));
        serde_json::from_slice(&self.body).expect("the answer is JSON")
    }

    /// The answer of a request that succeeds.
    pub fn ok(&self) -> Value {
        let json = self.json();
        assert_eq!(self.status, 200, "{json}");
        json
    }

    /// Status, code, and line and column of a request that fails.
    pub fn error(&self) -> (u16, String, Option<(u64, u64)>) {
        let json = self.json();
        let error = &json["error"];
        let message = error["message"].as_str().expect("a message");
        assert!(!message.is_empty() && message.len() <= 400, "{message}");
        let place = error["line"].as_u64().zip(error["column"].as_u64());
        (self.status, error["code"].as_str().expect("a code").to_owned(), place)
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("visible ASCII"))
    }
}

/// A request with a JSON body in one chunk, its length declared.
pub fn post(path: &str, body: impl Into<Vec<u8>>) -> Reply {
    let body = body.into();
    let length = body.len().to_string();
    let fields = [("content-type", "application/json"), ("content-length", &length)];
    send("POST", path, &fields, vec![Ok(body)])
}

/// A request with these header fields and a body in these chunks. An error among them
/// is a client that breaks off.
pub fn send(
    method: &str,
    path: &str,
    fields: &[(&str, &str)],
    chunks: Vec<Result<Vec<u8>, Error>>,
) -> Reply {
    let mut request = hyper::Request::builder().method(method).uri(format!("http://test{path}"));
    for (name, value) in fields {
        request = request.header(*name, *value);
    }
    let taken = Arc::new(AtomicUsize::new(0));
    let chunks = Chunks { rest: chunks.into(), taken: Arc::clone(&taken) };
    service().handle(request.body(chunks).expect("a request"), &taken)
}

struct Service {
    pre: ProxyPre<State>,
    runtime: Runtime,
}

/// Compiled once for all tests of a process.
fn service() -> &'static Service {
    static SERVICE: OnceLock<Service> = OnceLock::new();
    SERVICE.get_or_init(|| {
        let path = xtask::build_guest("example-service", &[], "example-service");
        let path = path.unwrap_or_else(|error| panic!("{error}"));
        let engine = Engine::default();
        let component = Component::from_file(&engine, path).expect("it compiles");
        let mut linker = Linker::new(&engine);
        wasmtime_wasi_http::p2::add_to_linker_async(&mut linker).expect("names differ");
        let pre = linker.instantiate_pre(&component).expect("every import is there");
        let pre = ProxyPre::new(pre).expect("it exports the handler");
        Service { pre, runtime: Runtime::new().expect("threads") }
    })
}

/// The names of what the component imports and exports.
pub fn names() -> (BTreeSet<String>, BTreeSet<String>) {
    let pre = service().pre.instance_pre();
    let (ty, engine) = (pre.component().component_type(), pre.engine());
    (
        ty.imports(engine).map(|(name, _)| name.to_string()).collect(),
        ty.exports(engine).map(|(name, _)| name.to_string()).collect(),
    )
}

impl Service {
    fn handle(&self, request: hyper::Request<Chunks>, taken: &AtomicUsize) -> Reply {
        let mut store = Store::new(self.pre.engine(), State::default());
        store.limiter(|state| &mut state.memory);
        let (sender, receiver) = oneshot::channel();
        let mut http = store.data_mut().http();
        let request = http.new_incoming_request(Scheme::Http, request).expect("a request");
        let out = http.new_response_outparam(sender).expect("room in the table");

        let pre = self.pre.clone();
        let guest = self.runtime.spawn(async move {
            let proxy = pre.instantiate_async(&mut store).await?;
            proxy.wasi_http_incoming_handler().call_handle(&mut store, request, out).await?;
            Ok::<_, wasmtime::Error>(store.data().memory.0)
        });
        self.runtime.block_on(async {
            let answer = receiver.await;
            // The guest writes while this reads, and ends when all is read.
            let read = match answer {
                Ok(Ok(answer)) => {
                    let (head, body) = answer.into_parts();
                    let body = body.collect().await.expect("the answer is whole");
                    Some((head, body.to_bytes().to_vec()))
                }
                Ok(Err(error)) => panic!("the guest answered with {error:?}"),
                Err(_) => None,
            };
            let memory = guest.await.expect("no panic").expect("no trap");
            let (head, body) = read.expect("an answer");
            Reply {
                status: head.status.as_u16(),
                headers: head.headers,
                body,
                taken: taken.load(Ordering::Relaxed),
                memory,
            }
        })
    }
}

#[derive(Default)]
struct State {
    table: ResourceTable,
    wasi: WasiCtx,
    http: WasiHttpCtx,
    hooks: NoRequests,
    memory: Memory,
}

/// Lets no request out. The component imports nothing that could send one; the host
/// has to say it all the same.
#[derive(Default)]
struct NoRequests;

type Transfer = Box<dyn Future<Output = Result<(), Error>> + Send>;
type Exchange = Result<(hyper::Response<WasiBody>, Transfer), Error>;

impl WasiHttpHooks for NoRequests {
    fn send_request(
        &mut self,
        _: hyper::Request<WasiBody>,
        _: Option<RequestOptions>,
        _: Transfer,
    ) -> Box<dyn Future<Output = Exchange> + Send> {
        Box::new(async { Err(Error::HttpRequestDenied) })
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl WasiHttpView for State {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView { ctx: &mut self.http, table: &mut self.table, hooks: &mut self.hooks }
    }
}

/// The size of the one memory, kept below [`MEMORY`].
#[derive(Default)]
struct Memory(usize);

impl ResourceLimiter for Memory {
    fn memory_growing(
        &mut self,
        _: usize,
        desired: usize,
        _: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if desired > MEMORY {
            return Ok(false);
        }
        self.0 = desired;
        Ok(true)
    }

    fn table_growing(&mut self, _: usize, _: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        Ok(true)
    }
}

/// A body that counts what is taken of it.
struct Chunks {
    rest: VecDeque<Result<Vec<u8>, Error>>,
    taken: Arc<AtomicUsize>,
}

impl Body for Chunks {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let Some(chunk) = self.rest.pop_front() else { return Poll::Ready(None) };
        Poll::Ready(Some(chunk.map(|bytes| {
            self.taken.fetch_add(bytes.len(), Ordering::Relaxed);
            Frame::data(bytes.into())
        })))
    }
}
