package org.chainwalletd.node;

/**
 * A complete HTTP answer of a node.
 *
 * @param body decoded from its transfer coding; not to be changed
 */
record HttpAnswer(int status, byte[] body) {}
