package org.chainwalletd.account.endpoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.evm.EvmAddress;
import org.junit.jupiter.api.Test;

class TokenBalanceTest {
    private static final EvmAddress TOKEN = EvmAddress.parse("0x5FbDB2315678afecb367f032d93F642f64180aa3");
    private static final Bytes EIGHTEEN = word("12");
    private static final Bytes BALANCE = Bytes.parse("ff".repeat(32));

    private static Bytes word(String end) {
        return Bytes.parse("0".repeat(64 - end.length()) + end);
    }

    @Test
    void a_symbol_is_a_string_of_the_abi_or_of_an_old_token_32_bytes() {
        Bytes string = Bytes.parse(word("20").hex() + word("03").hex() + "555344" + "00".repeat(29));
        Bytes letters = Bytes.parse("4d4b52" + "00".repeat(29));

        TokenBalance token = TokenBalance.of(TOKEN, string, EIGHTEEN, BALANCE);

        assertThat(token)
                .isEqualTo(new TokenBalance(
                        TOKEN, "USD", 18, BigInteger.ONE.shiftLeft(256).subtract(BigInteger.ONE)));
        assertThat(TokenBalance.of(TOKEN, letters, EIGHTEEN, BALANCE).symbol()).isEqualTo("MKR");
    }

    @Test
    void what_no_token_answers_names_the_contract_that_does_not_look_like_one() {
        Bytes tooLong = Bytes.parse(word("20").hex() + "ff".repeat(32) + "00".repeat(32));
        for (Bytes[] wrong : new Bytes[][] {
            {Bytes.EMPTY, EIGHTEEN, BALANCE},
            {tooLong, EIGHTEEN, BALANCE},
            {word("41"), word("0100"), BALANCE},
            {word("41"), Bytes.EMPTY, BALANCE},
            {word("41"), EIGHTEEN, Bytes.EMPTY}
        }) {
            assertThatThrownBy(() -> TokenBalance.of(TOKEN, wrong[0], wrong[1], wrong[2]))
                    .isInstanceOf(AccountException.BadAnswer.class)
                    .hasMessageContaining(TOKEN.toString());
        }
    }
}
