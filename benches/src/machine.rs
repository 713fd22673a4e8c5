//! What the results were measured on.

use std::fs;
use std::process::Command;
use std::thread;

/// Lines of a list that describe this machine.
pub fn description() -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = cpu.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split_once(": ")).map_or("unknown", |(_, value)| value).to_owned()
    };
    let flags = field("flags");
    let has = |name| if flags.split(' ').any(|flag| flag == name) { "yes" } else { "no" };
    let cores = thread::available_parallelism().map_or(0, usize::from);
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("unknown");
    format!(
        "- date: {}\n- processor: {}, family {} model {}, {cores} cores, AVX2 {}, AVX-512 {}\n\
         - kernel: {}\n- compiler: {}\n- load average over the last minute, at the end: {load}\n",
        first_line("date", &["-u", "+%Y-%m-%d %H:%M UTC"]),
        field("model name"),
        field("cpu family"),
        field("model\t"),
        has("avx2"),
        has("avx512bw"),
        first_line("uname", &["-sr"]),
        first_line("rustc", &["--version"]),
    )
}

fn first_line(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    text.ok().and_then(|text| text.lines().next().map(str::to_owned)).unwrap_or_default()
}
