mod ranking;
mod standing;
mod worth;
