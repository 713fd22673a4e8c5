//! What a component says about itself: name, version, description, licence.

use wasm_metadata::{
    AddMetadata, AddMetadataField, Description, Homepage, Licenses, Source, Version,
};

use crate::Guest;

/// The component of a package with its metadata put in.
pub(crate) fn stamp(package: &str, component: &[u8]) -> Result<Vec<u8>, String> {
    match Guest::ALL.into_iter().find(|guest| guest.package() == package) {
        Some(guest) => describe(guest.name(), Some(guest.description()), component),
        None => describe(package, None, component),
    }
}

/// A WebAssembly file that says its name and what it is. The version, the licence and,
/// where the workspace names them, the repository and the homepage are those of the
/// workspace.
///
/// # Errors
/// The reason, where the file is no WebAssembly or the workspace names what is no
/// licence or address.
pub fn describe(
    name: &str,
    description: Option<&'static str>,
    file: &[u8],
) -> Result<Vec<u8>, String> {
    let reason = |error| format!("{error:#}");
    let mut metadata = AddMetadata::default();
    metadata.name = AddMetadataField::Set(name.to_owned());
    metadata.version = AddMetadataField::Set(Version::new(env!("CARGO_PKG_VERSION")));
    let licences = Licenses::new(env!("CARGO_PKG_LICENSE")).map_err(reason)?;
    metadata.licenses = AddMetadataField::Set(licences);
    if let Some(description) = description {
        metadata.description = AddMetadataField::Set(Description::new(description));
    }
    if let Some(repository) = given(env!("CARGO_PKG_REPOSITORY")) {
        metadata.source = AddMetadataField::Set(Source::new(repository).map_err(reason)?);
    }
    if let Some(homepage) = given(env!("CARGO_PKG_HOMEPAGE")) {
        metadata.homepage = AddMetadataField::Set(Homepage::new(homepage).map_err(reason)?);
    }
    metadata.to_wasm(file).map_err(reason)
}

/// Cargo gives an empty text for what a manifest does not name.
fn given(text: &'static str) -> Option<&'static str> {
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_metadata::Payload;

    #[test]
    fn a_component_names_itself_its_version_and_its_licence() {
        let empty = b"\0asm\x0d\0\x01\0";
        let stamped = stamp("guest-conversation", empty).unwrap();
        let payload = Payload::from_binary(&stamped).unwrap();
        let metadata = payload.metadata();
        assert_eq!(metadata.name.as_deref(), Some("murmur-fence-conversation"));
        assert_eq!(metadata.version.as_ref().unwrap().to_string(), env!("CARGO_PKG_VERSION"));
        assert_eq!(metadata.licenses.as_ref().unwrap().to_string(), "Apache-2.0");
        assert!(metadata.description.as_ref().unwrap().to_string().contains("record"));
    }

    #[test]
    fn an_example_is_named_after_its_package() {
        let stamped = stamp("example-tool", b"\0asm\x0d\0\x01\0").unwrap();
        let payload = Payload::from_binary(&stamped).unwrap();
        assert_eq!(payload.metadata().name.as_deref(), Some("example-tool"));
        assert!(payload.metadata().description.is_none());
    }
}
