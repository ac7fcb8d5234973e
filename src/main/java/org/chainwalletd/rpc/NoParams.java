package org.chainwalletd.rpc;

/** The parameters of a method that takes none. */
public record NoParams() {}
