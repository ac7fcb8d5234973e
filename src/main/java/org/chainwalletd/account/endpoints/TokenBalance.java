package org.chainwalletd.account.endpoints;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.evm.EvmAddress;

/**
 * A token (ERC-20) as reported by one endpoint and the token's contract; for display only, not verified.
 *
 * @param symbol printable, at most 32 characters
 * @param balance in the token's smallest units
 */
public record TokenBalance(EvmAddress token, String symbol, int decimals, BigInteger balance) {
    private static final Bytes SYMBOL = Bytes.parse("95d89b41");
    private static final Bytes DECIMALS = Bytes.parse("313ce567");
    private static final String BALANCE_OF = "70a08231";
    private static final int WORD = 32;
    private static final int LONGEST_SYMBOL = 32;
    private static final int MOST_DECIMALS = 255;

    /** Throws {@link AccountException}, which names the token when its contract's answer is not that of a token. */
    public static TokenBalance read(AccountReads reads, EvmAddress token, EvmAddress holder) {
        Bytes balanceOf = Bytes.parse(BALANCE_OF
                + "00".repeat(WORD - EvmAddress.LENGTH)
                + Bytes.wrap(holder.toArray()).hex());
        return of(
                token,
                reads.call(token, SYMBOL, BlockRef.Tag.LATEST),
                reads.call(token, DECIMALS, BlockRef.Tag.LATEST),
                reads.call(token, balanceOf, BlockRef.Tag.LATEST));
    }

    static TokenBalance of(EvmAddress token, Bytes symbol, Bytes decimals, Bytes balance) {
        BigInteger places = word(token, decimals, 0);
        if (places.compareTo(BigInteger.valueOf(MOST_DECIMALS)) > 0) {
            throw noToken(token);
        }
        return new TokenBalance(token, symbol(token, symbol), places.intValue(), word(token, balance, 0));
    }

    /** Decodes an ABI string; some old tokens return 32 bytes padded with zeros instead. */
    private static String symbol(EvmAddress token, Bytes answer) {
        byte[] letters;
        if (answer.length() == WORD) {
            letters = answer.toArray();
        } else {
            BigInteger length = word(token, answer, 1);
            if (length.compareTo(BigInteger.valueOf(answer.length() - 2L * WORD)) > 0) {
                throw noToken(token);
            }
            letters = answer.slice(2 * WORD, 2 * WORD + length.intValue());
        }
        return Quantities.readable(new String(letters, StandardCharsets.UTF_8).replace("\0", ""), LONGEST_SYMBOL);
    }

    private static BigInteger word(EvmAddress token, Bytes answer, int index) {
        if (answer.length() < (index + 1) * WORD) {
            throw noToken(token);
        }
        return new BigInteger(1, answer.slice(index * WORD, (index + 1) * WORD));
    }

    private static AccountException noToken(EvmAddress token) {
        return new AccountException.BadAnswer("asked for " + token, "no token is there");
    }
}
