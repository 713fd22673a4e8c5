//! A local server that answers as a script says, in the place of a model.
//!
//! It serves to try the harness without a key, and to check it: a script has
//! known rates by construction, so what the harness reports can be held against
//! them. It knows the corpus, finds a page's payload in a prompt by its anchor,
//! and decides by where the anchor lies. **What it gives says nothing about any
//! model.**

mod behaviour;
mod http;
mod mind;
mod reading;
mod request;
mod respond;

use std::collections::HashMap;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

pub use behaviour::{Behaviour, UnknownBehaviour};

use crate::corpus::Corpus;
use behaviour::{Fault, Times};
use mind::Mind;
use request::Request;
use respond::Response;

/// The most connections at a time; more wait.
const MAX_CONNECTIONS: usize = 64;

/// A running server. It stops when it is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    listener: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    behaviour: Behaviour,
    mind: Mind,
    stopping: AtomicBool,
    requests: AtomicU64,
    /// How often each request body came, for faults that pass.
    seen: Mutex<HashMap<String, u32>>,
}

impl Server {
    /// Starts on a free port of this machine.
    ///
    /// # Errors
    ///
    /// No port can be had.
    pub fn start(behaviour: Behaviour, corpus: &Corpus, seed: u64) -> io::Result<Self> {
        Server::bind("127.0.0.1:0", behaviour, corpus, seed)
    }

    /// Starts on an address, such as `127.0.0.1:8080`.
    ///
    /// # Errors
    ///
    /// The address cannot be had.
    pub fn bind(
        address: &str,
        behaviour: Behaviour,
        corpus: &Corpus,
        seed: u64,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let mind = Mind::new(behaviour.manner.clone(), corpus, seed);
        let shared = Arc::new(Shared {
            behaviour,
            mind,
            stopping: AtomicBool::new(false),
            requests: AtomicU64::new(0),
            seen: Mutex::new(HashMap::new()),
        });
        let serving = Arc::clone(&shared);
        let listener = thread::Builder::new()
            .name("scripted endpoint".to_owned())
            .spawn(move || accept(&listener, &serving))?;
        Ok(Server { address, shared, listener: Some(listener) })
    }

    /// The base URL.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Requests answered so far, the faulty answers included.
    pub fn requests(&self) -> u64 {
        self.shared.requests.load(Ordering::Relaxed)
    }

    /// Serves until the process ends.
    pub fn wait(mut self) {
        if let Some(listener) = self.listener.take() {
            // The thread ends by a panic only, which it has then reported itself.
            let _ = listener.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        // Wakes the listener; if that fails it is gone already.
        let _ = TcpStream::connect(self.address);
        if let Some(listener) = self.listener.take() {
            let _ = listener.join();
        }
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut running: Vec<JoinHandle<()>> = Vec::new();
    for stream in listener.incoming() {
        if shared.stopping.load(Ordering::SeqCst) {
            break;
        }
        let Ok(stream) = stream else {
            // Out of descriptors, most likely: they come back.
            thread::sleep(Duration::from_millis(10));
            continue;
        };
        running.retain(|thread| !thread.is_finished());
        if running.len() >= MAX_CONNECTIONS
            && let Some(oldest) = running.pop()
        {
            let _ = oldest.join();
        }
        let shared = Arc::clone(shared);
        running.push(thread::spawn(move || {
            // A client that hangs up has had what it wanted.
            let _ = serve(stream, &shared);
        }));
    }
}

fn serve(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    stream.set_write_timeout(Some(Duration::from_secs(10)))?;
    let incoming = match http::read(&mut stream)? {
        Some(incoming) => incoming,
        None => return Ok(()),
    };
    shared.requests.fetch_add(1, Ordering::Relaxed);
    let response = shared.respond(&incoming);
    http::write(&mut stream, &response)
}

impl Shared {
    fn respond(&self, incoming: &http::Incoming) -> Response {
        thread::sleep(self.behaviour.delay);
        if let Some(fault) = self.behaviour.fault
            && self.strikes(fault, &incoming.body)
        {
            return respond::faulty(fault, incoming);
        }
        match Request::read(&incoming.path, &incoming.body) {
            Ok(request) => request.form.answer(&self.mind.answer(&request)),
            Err(problem) => Response::error(400, &problem),
        }
    }

    /// Whether the fault strikes this request, which may have come before.
    fn strikes(&self, (_, times): (Fault, Times), body: &str) -> bool {
        match times {
            Times::Always => true,
            Times::First(times) => {
                let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
                let count = seen.entry(body.to_owned()).or_default();
                *count += 1;
                *count <= times
            }
        }
    }
}
