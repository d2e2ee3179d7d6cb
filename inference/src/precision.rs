//! How exactly an exported file keeps its weights. The network itself always computes in f32.

use std::fmt;
use std::str::FromStr;

/// Number type of the weights in the file; a run-time turns them into f32 once, when it loads the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Precision {
    /// As trained: 4 bytes a weight.
    #[default]
    F32,
    /// IEEE half precision: 2 bytes a weight, relative error up to 2^-11.
    F16,
    /// The 3x3 convolutions, nearly all of a network's weights, in 1 byte with a factor for each output channel; all
    /// other weights as with [`F16`](Self::F16).
    Int8,
}

impl Precision {
    /// All of them, the most exact first.
    pub const ALL: [Precision; 3] = [Precision::F32, Precision::F16, Precision::Int8];

    /// The name in metadata and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::F16 => "f16",
            Precision::Int8 => "int8",
        }
    }

    /// The largest difference from the original network that a canary may show: in a probability of the policy, in
    /// win, draw and loss, and in plies to the end divided by 100 (or by the expected value if that is more). With f32
    /// this is the error of summing in another order. With the others it is a limit on what rounding the weights
    /// costs: a network that loses more is not exported so (docs/export.md has what was measured).
    pub fn tolerance(self) -> f32 {
        match self {
            Precision::F32 => 1e-4,
            Precision::F16 => 1e-2,
            Precision::Int8 => 1e-1,
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Precision {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Precision::ALL
            .into_iter()
            .find(|precision| precision.name() == text)
            .ok_or_else(|| format!("`{text}` is no precision; use f32, f16 or int8"))
    }
}
