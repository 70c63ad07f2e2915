mod ranking;
