package org.chainwalletd.rpc.method;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.List;
import org.chainwalletd.account.endpoints.AccountException;
import org.chainwalletd.api.ErrorCode;
import org.junit.jupiter.api.Test;

class AccountErrorsTest {
    @Test
    void every_failure_of_an_endpoint_is_an_upstream_error() {
        for (AccountException failure : List.of(
                new AccountException.Unreachable("e", "why"),
                new AccountException.Refused("e", -1, "no"),
                new AccountException.BadAnswer("e", "what"),
                new AccountException.WrongChain("e", BigInteger.ONE, BigInteger.TWO),
                new AccountException.Disagreement(2, true, List.of()))) {
            assertThat(new AccountErrors().translate(failure).orElseThrow().code())
                    .isEqualTo(ErrorCode.UPSTREAM);
        }
    }
}
