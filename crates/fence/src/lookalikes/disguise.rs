//! How a look-alike is disguised.

use core::fmt;

/// One way in which a spelling differs from the marker that it looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Disguise {
    /// White space, of any kind, where the marker has none.
    WhiteSpace,
    /// More than one slash, a backslash, or a slash where the marker has none.
    Slash,
    /// The hyphen is missing, repeated, or an underscore.
    Hyphen,
    /// A character that looks like the right one or is a form of it: homoglyph,
    /// fullwidth, mathematical, circled, accented.
    Homoglyph,
    /// Characters that show nothing: zero-width and bidirectional controls,
    /// variation selectors, soft hyphens, control characters.
    Invisible,
    /// Combining marks on plain characters.
    CombiningMark,
    /// Tag characters (U+E0020 to U+E007E) that spell a part of the marker.
    Tag,
    /// HTML character references.
    Entity,
    /// Percent escapes, as in a URL.
    Percent,
    /// Backslash escapes, as in JSON and in source code.
    Escape,
}

impl Disguise {
    /// Every disguise, in the order of the WIT flags.
    pub const ALL: [Disguise; 10] = [
        Disguise::WhiteSpace,
        Disguise::Slash,
        Disguise::Hyphen,
        Disguise::Homoglyph,
        Disguise::Invisible,
        Disguise::CombiningMark,
        Disguise::Tag,
        Disguise::Entity,
        Disguise::Percent,
        Disguise::Escape,
    ];

    /// The disguise's name in kebab case, as the WIT interface and reports spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Disguise::WhiteSpace => "white-space",
            Disguise::Slash => "slash",
            Disguise::Hyphen => "hyphen",
            Disguise::Homoglyph => "homoglyph",
            Disguise::Invisible => "invisible",
            Disguise::CombiningMark => "combining-mark",
            Disguise::Tag => "tag",
            Disguise::Entity => "entity",
            Disguise::Percent => "percent",
            Disguise::Escape => "escape",
        }
    }
}

impl fmt::Display for Disguise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The set of disguises of one look-alike.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Disguises(u16);

impl Disguises {
    pub(super) const NONE: Disguises = Disguises(0);

    /// Whether the disguise is one of them.
    pub fn contains(self, disguise: Disguise) -> bool {
        self.0 & bit(disguise) != 0
    }

    /// The disguises, in the order of [`Disguise::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Disguise> {
        Disguise::ALL.into_iter().filter(move |disguise| self.contains(*disguise))
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn with(self, disguise: Disguise) -> Disguises {
        Disguises(self.0 | bit(disguise))
    }

    pub(super) fn insert(&mut self, disguise: Disguise) {
        *self = self.with(disguise);
    }

    pub(super) fn extend(&mut self, other: Disguises) {
        self.0 |= other.0;
    }
}

fn bit(disguise: Disguise) -> u16 {
    1 << disguise as u16
}

impl fmt::Debug for Disguises {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
