package org.chainwalletd.rpc.method.read;

/** The parameter of methods about one height of the best chain. */
public record HeightParam(long height) {}
