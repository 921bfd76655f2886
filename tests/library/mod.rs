//! The library as other programs use it, through its front door alone.

mod inputs;
mod outputs;
