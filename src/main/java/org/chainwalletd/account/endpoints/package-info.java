/**
 * The account chain as its endpoints tell it: one actor and one connection for each, answers checked for shape and for what was asked, and
 * the answers that a quorum agrees on. Sends nothing by itself.
 */
package org.chainwalletd.account.endpoints;
