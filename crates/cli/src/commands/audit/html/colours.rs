//! A colour for each source: the same in every report, as far as there are enough.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::super::Audited;

/// Text and tint in the light scheme, text and tint in the dark one. Red is left
/// out: it says that something is wrong.
const PALETTE: [[&str; 4]; 8] = [
    ["#1d5fb4", "#ebf2fc", "#85aee2", "#152130"],
    ["#8a5416", "#fcf4eb", "#dca668", "#302315"],
    ["#137245", "#e9fbf2", "#30cf85", "#153023"],
    ["#8d21cc", "#f6ebfc", "#c894e6", "#261530"],
    ["#146b79", "#e6f8fb", "#4dc3d5", "#152c30"],
    ["#af1d75", "#fcebf5", "#e48dc2", "#301525"],
    ["#666911", "#fafae0", "#c9cf30", "#2f3015"],
    ["#4b5563", "#eff1f4", "#b3bccb", "#23272e"],
];

/// The colours of the sources of one report.
pub struct Colours(BTreeMap<String, usize>);

impl Colours {
    pub fn of(audited: &Audited) -> Self {
        let sources =
            audited.report.surfaces.values().flat_map(|surface| surface.sums.sources.keys());
        Colours::new(sources)
    }

    /// A source gets the colour that its name picks, or the next that is free.
    fn new<'s>(sources: impl Iterator<Item = &'s String>) -> Self {
        let mut given: BTreeMap<String, usize> = BTreeMap::new();
        let mut taken = [false; PALETTE.len()];
        for source in sources {
            if given.contains_key(source) {
                continue;
            }
            let first = pick(source);
            let free = (0..PALETTE.len())
                .map(|step| (first + step) % PALETTE.len())
                .find(|&colour| !taken[colour]);
            let colour = free.unwrap_or(first);
            taken[colour] = true;
            given.insert(source.clone(), colour);
        }
        Colours(given)
    }

    /// The class that carries the colour.
    pub fn class_of(&self, source: &str) -> String {
        format!("s{}", self.0.get(source).copied().unwrap_or_else(|| pick(source)))
    }
}

/// Which colour a name picks (FNV-1a).
fn pick(source: &str) -> usize {
    let hash = source.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    (hash % PALETTE.len() as u64) as usize
}

/// The classes, for one scheme.
pub fn classes(dark: bool) -> String {
    let mut out = String::new();
    for (index, [text, tint, dark_text, dark_tint]) in PALETTE.into_iter().enumerate() {
        let (text, tint) = if dark { (dark_text, dark_tint) } else { (text, tint) };
        _ = write!(out, ".s{index}{{--c:{text};--t:{tint}}}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contrast of two colours as WCAG 2 defines it.
    fn contrast(a: &str, b: &str) -> f64 {
        let luminance = |colour: &str| {
            let part = |at: usize| {
                let part = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
                if part <= 0.03928 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
        };
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn every_colour_can_be_read_on_its_tint_and_on_a_card() {
        for [light, tint, dark, dark_tint] in PALETTE {
            for (text, ground) in
                [(light, tint), (light, "#ffffff"), (dark, dark_tint), (dark, "#1b1b1f")]
            {
                assert!(contrast(text, ground) >= 4.5, "{text} on {ground}");
            }
            // Plain text stands on the tints too.
            assert!(contrast("#1c1c1e", tint) >= 7.0 && contrast("#ececee", dark_tint) >= 7.0);
        }
    }

    #[test]
    fn sources_differ_in_colour_as_long_as_there_are_colours() {
        let names: Vec<String> = (0..15).map(|index| format!("tool:{index}")).collect();
        let colours = Colours::new(names.iter());
        let mut used: Vec<_> =
            names[..PALETTE.len()].iter().map(|name| colours.class_of(name)).collect();
        used.sort();
        used.dedup();
        assert_eq!(used.len(), PALETTE.len());
        // Alone, a name keeps the colour that it picks.
        let alone = Colours::new([names[3].clone()].iter());
        assert_eq!(alone.class_of(&names[3]), format!("s{}", pick(&names[3])));
    }
}
