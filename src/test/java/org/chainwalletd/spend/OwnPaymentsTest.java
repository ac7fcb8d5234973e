package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.spend.SpendHarness.get;
import static org.chainwalletd.spend.SpendHarness.refusal;
import static org.chainwalletd.spend.SpendHarness.request;

import java.util.Optional;
import org.chainwalletd.access.Grant;
import org.chainwalletd.access.Grants;
import org.chainwalletd.access.NamedToken;
import org.chainwalletd.api.Scope;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.Requester;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.SpendHistory.PastSpend;
import org.junit.jupiter.api.Test;

/** Listing of the daemon's own payments. */
class OwnPaymentsTest extends SpendCase {
    private static final String TOKEN = "token-payout";

    OwnPaymentsTest() {
        super(10_000, 10_000);
    }

    private static Requester saying(String memo) {
        return new Requester(Grant.of(Scope.SPEND), Optional.of(memo));
    }

    private PastSpend ofToken() {
        return get(spends.store.history().ofToken(TOKEN)).orElseThrow();
    }

    @Test
    void a_payment_keeps_the_name_of_its_token_its_memo_and_its_fee() {
        Receipt receipt = get(spends.spending.transfer(request(payer, shop, 1_000, TOKEN), saying("invoice 7 \u00fc")));

        assertThat(ofToken().details())
                .isEqualTo(new Intent.Details(
                        Optional.of("spend"), Optional.of("invoice 7 \u00fc"), Optional.of(receipt.fee())));
        assertThat(ofToken().details().toString()).doesNotContain("invoice");
    }

    private Requester named(String name) {
        return Requester.of(Grants.of(name, Scope.SPEND, NamedToken.Policy.NONE));
    }

    private void boundToShop(Requester other, Receipt receipt) {
        SpendRefusal.TokenConflict conflict = refusal(
                SpendRefusal.TokenConflict.class, spends.spending.transfer(request(payer, shop, 1_000, TOKEN), other));
        assertThat(conflict.boundBy()).contains(new SpendRefusal.BoundBy("shop", Optional.of(receipt.txId())));
    }

    @Test
    void another_name_is_told_which_name_has_bound_a_token_and_to_which_transaction() {
        Receipt receipt = get(spends.spending.transfer(request(payer, shop, 1_000, TOKEN), named("shop")));

        boundToShop(named("till"), receipt);
        boundToShop(saying("a classic token"), receipt);
        spends.restart();
        boundToShop(named("till"), receipt);
        boundToShop(saying("a classic token"), receipt);
        assertThat(get(spends.spending.transfer(request(payer, shop, 1_000, TOKEN), named("shop"))))
                .isEqualTo(receipt);
        assertThat(refusal(
                                SpendRefusal.TokenConflict.class,
                                spends.spending.transfer(request(payer, shop, 1_001, TOKEN), named("shop")))
                        .boundBy())
                .as("the name that bound it, with other parameters")
                .isEmpty();
    }

    @Test
    void a_repeated_token_with_another_memo_is_the_same_payment_and_keeps_the_first_memo() {
        Receipt receipt = get(spends.spending.transfer(request(payer, shop, 1_000, TOKEN), saying("first")));

        assertThat(get(spends.spending.transfer(request(payer, shop, 1_000, TOKEN), saying("second"))))
                .isEqualTo(receipt);
        assertThat(pay(1_000, TOKEN)).isEqualTo(receipt);
        assertThat(ofToken().details().memo()).contains("first");
        assertThat(get(spends.store.history().after(0, 10))).hasSize(1);
    }
}
