mod asides;
mod lasting;
mod ranking;
mod standing;
mod statements;
mod worth;
