mod excerpts;
mod items;
mod marks;
mod placement;
mod request;
