fn main() {
    use benches::{corpus::Corpus, paired::compare, subject::Inputs};
    let args: Vec<String> = std::env::args().collect();
    let size: usize = args[1].parse().unwrap();
    for corpus in Corpus::ALL {
        if let Some(only) = args.get(2)
            && only != "-"
            && corpus.name() != only
        {
            continue;
        }
        let inputs = Inputs::new(corpus.text(size));
        let mut subjects = inputs.subjects();
        if let Some(names) = args.get(3) {
            subjects.retain(|s| names.split(';').any(|n| n == s.name));
        }
        let timed = compare(&mut subjects, 41, std::time::Duration::from_micros(1500));
        println!("{} {size}", corpus.name());
        for t in &timed {
            println!(
                "  {:20} {:10.1} ns {:7.2} GB/s  {:5.2} x{}",
                t.name,
                t.nanoseconds(),
                size as f64 / t.nanoseconds(),
                t.times_as_fast_as(&timed[0]),
                timed[0].name
            );
        }
    }
}
