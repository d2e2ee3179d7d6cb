//! From the bytes of a file to a text.

/// The text in `bytes`: UTF-8, with or without a byte order mark, else Shift-JIS, in which Japanese game
/// records are written. Japanese text in one is practically never valid in the other.
///
/// # Errors
/// If it is neither.
pub fn decode(bytes: &[u8]) -> Result<String, String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_string()),
        Err(error) => encoding_rs::SHIFT_JIS
            .decode_without_bom_handling_and_without_replacement(bytes)
            .map(|text| text.into_owned())
            .ok_or_else(|| {
                let line = 1 + bytes[..error.valid_up_to()]
                    .iter()
                    .filter(|&&b| b == b'\n')
                    .count();
                format!("line {line}: neither UTF-8 nor Shift-JIS; convert the file to UTF-8")
            }),
    }
}
