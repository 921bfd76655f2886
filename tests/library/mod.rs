//! The library as other programs use it: only through its public interface. Its exported names, and the order of its rooms.

mod inputs;
mod inspection;
mod outputs;
mod public_api;
mod rooms;
mod virtual_files;
