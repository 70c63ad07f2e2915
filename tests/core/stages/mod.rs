mod calibration;
mod excerpts;
mod pairs;
mod items;
mod marks;
mod placement;
mod provider;
mod request;
