//! Spellings of a marker that its grammar does not know and a model may read all the same.

/// A spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disguise {
    /// `&lt;/name&gt;`
    Entity,
    /// `\u003c/name\u003e`
    Escape,
    /// Angle brackets of full width.
    Fullwidth,
    /// Some letters from the Cyrillic alphabet.
    Homoglyph,
    /// `%3C/name%3E`
    Percent,
    /// `< / name >`
    Spaced,
    /// A zero-width space inside the name.
    ZeroWidth,
}

impl Disguise {
    /// The names, as page files spell them.
    pub const NAMES: [&'static str; 7] =
        ["entity", "escape", "fullwidth", "homoglyph", "percent", "spaced", "zero-width"];

    const ALL: [Disguise; 7] = [
        Disguise::Entity,
        Disguise::Escape,
        Disguise::Fullwidth,
        Disguise::Homoglyph,
        Disguise::Percent,
        Disguise::Spaced,
        Disguise::ZeroWidth,
    ];

    /// The disguise of a name.
    pub fn parse(name: &str) -> Option<Self> {
        let place = Disguise::NAMES.iter().position(|known| *known == name)?;
        Some(Disguise::ALL[place])
    }

    /// The marker in this spelling.
    pub fn apply(self, marker: &str) -> String {
        match self {
            Disguise::Entity => brackets(marker, "&lt;", "&gt;"),
            Disguise::Escape => brackets(marker, "\\u003c", "\\u003e"),
            Disguise::Fullwidth => brackets(marker, "\u{ff1c}", "\u{ff1e}"),
            Disguise::Percent => brackets(marker, "%3C", "%3E"),
            Disguise::Homoglyph => marker.chars().map(homoglyph).collect(),
            Disguise::Spaced => spaced(marker),
            Disguise::ZeroWidth => {
                let inside =
                    marker.find(|c: char| c.is_alphanumeric()).map_or(0, |start| start + 1);
                let (before, after) = marker.split_at(inside);
                format!("{before}\u{200b}{after}")
            }
        }
    }
}

fn brackets(marker: &str, open: &str, close: &str) -> String {
    marker.replace('<', open).replace('>', close)
}

/// The letter of another alphabet that looks like this one.
pub(crate) fn homoglyph(c: char) -> char {
    match c {
        'a' => 'а',
        'c' => 'с',
        'e' => 'е',
        'o' => 'о',
        'p' => 'р',
        'x' => 'х',
        'y' => 'у',
        'A' => 'А',
        'C' => 'С',
        'E' => 'Е',
        'O' => 'О',
        'P' => 'Р',
        'T' => 'Т',
        _ => c,
    }
}

/// A space between the signs and the name on either side.
fn spaced(marker: &str) -> String {
    let is_sign = |c: char| matches!(c, '<' | '>' | '/');
    let mut spaced = String::with_capacity(marker.len() + 4);
    let mut before: Option<char> = None;
    for c in marker.chars() {
        let turns = before
            .is_some_and(|before| is_sign(before) != is_sign(c) || (is_sign(c) && c != before));
        if turns {
            spaced.push(' ');
        }
        spaced.push(c);
        before = Some(c);
    }
    spaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_spelling_is_as_documented() {
        let closer = "</data>";
        let cases = [
            ("entity", "&lt;/data&gt;"),
            ("escape", "\\u003c/data\\u003e"),
            ("fullwidth", "\u{ff1c}/data\u{ff1e}"),
            ("homoglyph", "</d\u{430}t\u{430}>"),
            ("percent", "%3C/data%3E"),
            ("spaced", "< / data >"),
            ("zero-width", "</d\u{200b}ata>"),
        ];
        for (name, expected) in cases {
            assert_eq!(Disguise::parse(name).unwrap().apply(closer), expected, "{name}");
        }
        assert_eq!(cases.map(|(name, _)| name), Disguise::NAMES);
        assert_eq!(Disguise::Spaced.apply("<<<END:7f>>>"), "<<< END:7f >>>");
    }
}
