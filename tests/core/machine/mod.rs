mod properties;
mod reading;
mod replay;
mod stages_in_order;
