//! The library as other programs use it: only through its public interface.

mod inputs;
mod outputs;
mod virtual_files;
