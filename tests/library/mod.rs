//! The library as other programs use it: only through its public interface, and its exported names.

mod columns;
mod inputs;
mod inspection;
mod ledger_files;
mod numbers_of_facts;
mod outputs;
mod public_api;
mod rooms;
mod virtual_files;
