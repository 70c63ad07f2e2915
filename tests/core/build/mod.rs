mod properties;
mod replay;
mod stages_in_order;
