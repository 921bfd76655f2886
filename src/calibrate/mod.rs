//! Costs that a simulator was asked for, beside those that an export comes to.
mod fit;
