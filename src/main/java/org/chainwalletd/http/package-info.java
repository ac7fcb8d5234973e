/**
 * The daemon's server: listens, chooses the protocol of a connection, and wires the rooms below. Only {@code boot} calls in here.
 */
package org.chainwalletd.http;
