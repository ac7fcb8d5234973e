package org.chainwalletd.cluster.node;

/** Messages between daemons, serialised as CBOR. Only add fields, and never rename types: successive releases talk to each other. */
interface Carried {}
