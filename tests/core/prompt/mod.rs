mod formats;
mod shorten;
