/** The market-making service that swaps are made with, over HTTP (swap.md, section 3). It can say what it likes: nothing here is believed. */
package org.chainwalletd.swap.pool;
