//! As much of HTTP/1.1 as one request and one answer on a connection take.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use super::respond::Response;

/// The most bytes of a request's head and of its body.
const MAX_HEAD: u64 = 64 << 10;
const MAX_BODY: u64 = 32 << 20;

/// A request.
#[derive(Debug)]
pub(super) struct Incoming {
    pub path: String,
    /// The key, as either API sends it.
    pub key: Option<String>,
    pub body: String,
}

/// Reads a request; none where the client closed without one.
pub(super) fn read(stream: &mut TcpStream) -> io::Result<Option<Incoming>> {
    let bad = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let mut reader = BufReader::new(stream);
    let mut head = (&mut reader).take(MAX_HEAD);
    let mut line = String::new();
    if head.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let path = line.split(' ').nth(1).ok_or_else(|| bad("no request line"))?.to_owned();
    let (mut length, mut key) = (0u64, None);
    loop {
        line.clear();
        if head.read_line(&mut line)? == 0 {
            return Err(bad("no end of the head"));
        }
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().map_err(|_| bad("no length"))?,
            "authorization" => key = value.strip_prefix("Bearer ").map(str::to_owned),
            "x-api-key" => key = Some(value.to_owned()),
            _ => {}
        }
    }
    if length > MAX_BODY {
        return Err(bad("the body is too long"));
    }
    let mut body = String::new();
    reader.take(length).read_to_string(&mut body)?;
    Ok(Some(Incoming { path, key, body }))
}

/// Writes the answer. One that is cut announces more than it sends.
pub(super) fn write(stream: &mut TcpStream, response: &Response) -> io::Result<()> {
    let announced = response.body.len() + usize::from(response.cut);
    let sent = if response.cut { response.body.len() / 2 } else { response.body.len() };
    write!(
        stream,
        "HTTP/1.1 {} scripted\r\ncontent-type: application/json\r\ncontent-length: {announced}\r\n\
         connection: close\r\n{}\r\n",
        response.status,
        if response.status == 429 { "retry-after: 0\r\n" } else { "" },
    )?;
    stream.write_all(&response.body.as_bytes()[..sent])?;
    stream.flush()
}
