//! The service example, request by request: every route, every refusal, the limits,
//! hostile bodies, and the golden cases through HTTP.

mod cases;
mod harness;
mod hostile;
mod limits;
mod routes;
