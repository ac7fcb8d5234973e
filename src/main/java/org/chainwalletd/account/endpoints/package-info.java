/**
 * Client of the account chain's JSON-RPC endpoints: calls one endpoint, checks that its answer is well-formed and fits the query, and determines
 * the answer on which a quorum of endpoints agrees. Makes no transactions of its own.
 */
package org.chainwalletd.account.endpoints;
