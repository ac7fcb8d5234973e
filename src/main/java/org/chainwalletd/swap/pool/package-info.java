/** Client of the market-making service that swaps are made with, over HTTP (swap.md, section 3). Its answers are untrusted. */
package org.chainwalletd.swap.pool;
