package org.chainwalletd.cluster.node;

/** Messages between daemons, as CBOR. Members are only ever added: releases that follow each other talk. */
interface Carried {}
