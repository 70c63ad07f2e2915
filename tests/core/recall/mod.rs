mod asides;
mod ranking;
mod standing;
mod statements;
mod worth;
