package org.chainwalletd.spend;

/** Names one running spend inside this process, before it has a transaction id. */
record SpendId(long number) {}
