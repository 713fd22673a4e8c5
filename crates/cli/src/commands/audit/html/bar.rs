//! A bar for a source: what must be fenced, and of it what is intact.

use murmur_fence_record::audit::Tally;

/// The length of the longest bar, in units of its own drawing.
const LONGEST: f64 = 100.0;

/// The shortest that can still be seen.
const SHORTEST: f64 = 2.0;

/// The bar as SVG, or words where nothing is due. `longest` is the most that is due
/// for any source beside it.
pub fn bar(tally: &Tally, longest: u64) -> String {
    let Tally { labelled, intact, due, bare, unlabelled, .. } = *tally;
    if due == 0 {
        return match unlabelled {
            0 => "<span class=\"soft small\">nothing due</span>".to_owned(),
            1 => "<span class=\"soft small\">1 block without a label</span>".to_owned(),
            _ => format!("<span class=\"soft small\">{unlabelled} blocks without a label</span>"),
        };
    }
    let length = (due as f64 / longest.max(1) as f64 * LONGEST).max(SHORTEST);
    let part = |count: u64| length * count as f64 / due as f64;
    let lost = due.saturating_sub(intact).saturating_sub(bare);
    let (filled, lost_length, bare_length) = (part(intact), part(lost), part(bare));
    format!(
        "<svg viewBox=\"0 0 {LONGEST} 10\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"{labelled} labelled, {intact} intact, {bare} bare\">\
         <rect class=\"intact\" width=\"{filled:.2}\" height=\"10\"/>\
         <rect class=\"lost\" x=\"{filled:.2}\" width=\"{lost_length:.2}\" height=\"10\"/>\
         <rect class=\"unfenced\" x=\"{:.2}\" width=\"{bare_length:.2}\" height=\"10\"/></svg>",
        filled + lost_length,
    )
}

#[cfg(test)]
mod tests {
    use super::bar;
    use murmur_fence_record::audit::Tally;

    fn widths(tally: Tally, longest: u64) -> Vec<f64> {
        let bar = bar(&tally, longest);
        let rects = bar.split("<rect").skip(1);
        rects
            .map(|rect| {
                let width = rect.split(" width=\"").nth(1).unwrap();
                width.split('"').next().unwrap().parse().unwrap()
            })
            .collect()
    }

    #[test]
    fn a_bar_is_intact_lost_and_bare() {
        let tally = Tally { labelled: 8, marked: 7, intact: 6, due: 10, bare: 2, unlabelled: 0 };
        assert_eq!(widths(tally, 20), [30.0, 10.0, 10.0]);
        assert_eq!(widths(tally, 10), [60.0, 20.0, 20.0]);
    }

    #[test]
    fn little_is_still_seen() {
        let tally = Tally { labelled: 1, marked: 1, intact: 1, due: 1, ..Tally::default() };
        assert_eq!(widths(tally, 1_000_000), [2.0, 0.0, 0.0]);
    }

    #[test]
    fn without_anything_due_there_are_words() {
        let tally = Tally { unlabelled: 2, marked: 1, ..Tally::default() };
        assert!(bar(&tally, 0).contains("2 blocks without a label"));
    }
}
