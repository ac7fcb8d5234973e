package org.chainwalletd.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.wire.Alias;
import org.chainwalletd.wire.Binder;
import org.chainwalletd.wire.I64;
import org.chainwalletd.wire.Inline;
import org.chainwalletd.wire.MaybeAbsent;
import org.chainwalletd.wire.OrNull;
import org.chainwalletd.wire.U32;
import org.chainwalletd.wire.WireException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BinderTest {
    private static final String HEX = "ab".repeat(32);

    enum Role {
        SENDER,
        BOTH_SIDES
    }

    record Output(Address to, Amount amount) {}

    record Everything(
            Address address,
            Hash256 hashLock,
            PublicKey receiver,
            Bytes datum,
            Amount amount,
            long timeout,
            @U32 long outputIndex,
            int count,
            boolean force,
            String memo,
            Role role,
            List<Output> outputs,
            List<Role> roles) {}

    record Optionals(
            Optional<Address> address,
            OptionalLong height,
            @U32 OptionalLong index,
            OptionalInt limit,
            Optional<Boolean> utxos,
            Optional<List<Hash256>> ids,
            Optional<Output> output) {}

    record Renamed(@Alias({"hash", "id"}) Hash256 blockId) {}

    record Shared(Amount amount, @Alias("text") Optional<String> memo) {}

    record Sharing(
            Address address, @Inline Shared shared, @U32 OptionalLong index) {}

    record OnlyShared(@Inline Shared shared) {}

    record One(Optional<Amount> amount, @U32 OptionalLong index, Optional<String> memo) {}

    private static <P extends Record> P bind(Class<P> type, String params) {
        Envelope.Single read = (Envelope.Single) new RequestReader(1)
                .read(
                        ("{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"id\":1,\"params\":" + params + "}")
                                .getBytes(StandardCharsets.UTF_8),
                        AnswerRoom.BOUNDLESS);
        return Binder.strict(type).bind(read.envelope().params());
    }

    private static void refuses(Class<? extends Record> type, String params, String message) {
        assertThatThrownBy(() -> bind(type, params))
                .isInstanceOf(WireException.class)
                .hasMessage(message);
    }

    @Test
    void every_type_is_bound() {
        Everything bound = bind(Everything.class, """
                {"address":"%1$s","hash_lock":"%2$s","receiver":"%1$s","datum":"00FF","amount":18446744073709551615,
                 "timeout":9223372036854775808,"output_index":4294967295,"count":2147483647,"force":true,"memo":"grüße",
                 "role":"both_sides","outputs":[{"to":"%1$s","amount":1}],"roles":["sender"]}
                """.formatted(HEX, HEX.toUpperCase(Locale.ROOT)));
        assertThat(bound)
                .isEqualTo(new Everything(
                        Address.parse(HEX),
                        Hash256.parse(HEX),
                        PublicKey.parse(HEX),
                        Bytes.parse("00ff"),
                        Amount.MAX,
                        Long.MIN_VALUE,
                        4294967295L,
                        Integer.MAX_VALUE,
                        true,
                        "grüße",
                        Role.BOTH_SIDES,
                        List.of(new Output(Address.parse(HEX), Amount.of(1))),
                        List.of(Role.SENDER)));
    }

    @Test
    void optional_parameters_are_empty_when_absent_or_null() {
        Optionals empty = new Optionals(
                Optional.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalInt.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
        assertThat(bind(Optionals.class, "null")).isEqualTo(empty);
        assertThat(bind(Optionals.class, "[]")).isEqualTo(empty);
        assertThat(bind(
                        Optionals.class,
                        "{\"address\":null,\"height\":null,\"index\":null,\"limit\":null,\"utxos\":null}"))
                .isEqualTo(empty);
        assertThat(bind(
                        Optionals.class,
                        "{\"address\":\"%1$s\",\"height\":0,\"index\":0,\"limit\":5,\"utxos\":false,\"ids\":[\"%1$s\"],\"output\":{\"to\":\"%1$s\",\"amount\":0}}"
                                .formatted(HEX)))
                .isEqualTo(new Optionals(
                        Optional.of(Address.parse(HEX)),
                        OptionalLong.of(0),
                        OptionalLong.of(0),
                        OptionalInt.of(5),
                        Optional.of(false),
                        Optional.of(List.of(Hash256.parse(HEX))),
                        Optional.of(new Output(Address.parse(HEX), Amount.ZERO))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"amount\":-1}|parameter `amount` must be an integer from 0 to 18446744073709551615",
                "{\"amount\":18446744073709551616}|parameter `amount` must be an integer from 0 to 18446744073709551615",
                "{\"amount\":-9223372036854775809}|parameter `amount` must be an integer from 0 to 18446744073709551615",
                "{\"amount\":1.0}|parameter `amount` must be an integer from 0 to 18446744073709551615",
                "{\"amount\":1e3}|parameter `amount` must be an integer from 0 to 18446744073709551615",
                "{\"amount\":1e999999999}|parameter `amount` must be an integer from 0 to 18446744073709551615",
                "{\"amount\":\"5\"}|parameter `amount` must be an integer from 0 to 18446744073709551615",
                "{\"amount\":{}}|parameter `amount` must be an integer from 0 to 18446744073709551615",
                "{\"index\":4294967296}|parameter `index` must be an integer from 0 to 4294967295",
                "{\"index\":18446744073709551615}|parameter `index` must be an integer from 0 to 4294967295",
                "{\"memo\":5}|parameter `memo` must be a string",
                "{\"memos\":5}|unknown parameter `memos`; known are amount, index, memo",
                "\"x\"|params must be an object",
                "5|params must be an object",
                "[1]|params must be an object with named members, not an array",
            })
    void a_wrong_value_is_refused_with_the_parameters_name(String params, String message) {
        refuses(One.class, params, message.replace('\'', '`'));
    }

    @Test
    void hex_of_a_wrong_length_or_with_other_characters_is_refused() {
        refuses(Renamed.class, "{\"block_id\":\"zz\"}", "parameter `block_id` must be 64 hex characters, got 2");
        refuses(
                Renamed.class,
                "{\"block_id\":\"%s\"}".formatted("0".repeat(63) + "g"),
                "parameter `block_id` must be hex characters only; character 64 is not");
        refuses(
                Renamed.class,
                "{\"block_id\":\"%s\"}".formatted("0".repeat(63) + "\uFF11"),
                "parameter `block_id` must be hex characters only; character 64 is not");
        refuses(Renamed.class, "{\"block_id\":5}", "parameter `block_id` must be a string of 64 hex characters");
    }

    @Test
    void a_missing_parameter_is_named() {
        refuses(Renamed.class, "{}", "missing parameter `block_id`");
        refuses(Renamed.class, "{\"block_id\":null}", "missing parameter `block_id`");
    }

    @Test
    void an_alias_is_accepted_but_not_both_spellings() {
        Renamed bound = new Renamed(Hash256.parse(HEX));
        assertThat(bind(Renamed.class, "{\"block_id\":\"%s\"}".formatted(HEX))).isEqualTo(bound);
        assertThat(bind(Renamed.class, "{\"hash\":\"%s\"}".formatted(HEX))).isEqualTo(bound);
        refuses(
                Renamed.class,
                "{\"block_id\":\"%1$s\",\"id\":\"%1$s\"}".formatted(HEX),
                "`block_id` and `id` are the same parameter; give one");
        refuses(
                Renamed.class,
                "{\"hash\":\"%1$s\",\"id\":\"%1$s\"}".formatted(HEX),
                "`hash` and `id` are the same parameter; give one");
        refuses(Renamed.class, "{\"hash\":\"00\"}", "parameter `hash` must be 64 hex characters, got 2");
    }

    record Nested(List<Output> outputs, Optional<Role> role) {}

    @Test
    void a_nested_member_is_named_by_its_path() {
        refuses(
                Nested.class,
                "{\"outputs\":[{\"to\":\"%1$s\",\"amount\":1},{\"to\":\"%1$s\",\"amount\":-1}]}".formatted(HEX),
                "parameter `outputs[1].amount` must be an integer from 0 to 18446744073709551615");
        refuses(
                Nested.class,
                "{\"outputs\":[{\"to\":\"%1$s\"}]}".formatted(HEX),
                "missing parameter `outputs[0].amount`");
        refuses(
                Nested.class,
                "{\"outputs\":[{\"to\":\"%1$s\",\"amount\":1,\"memo\":\"x\"}]}".formatted(HEX),
                "unknown parameter `outputs[0].memo`; known are to, amount");
        refuses(Nested.class, "{\"outputs\":[null]}", "parameter `outputs[0]` must be a value, not null");
        refuses(Nested.class, "{\"outputs\":[5]}", "parameter `outputs[0]` must be an object");
        refuses(Nested.class, "{\"outputs\":{}}", "parameter `outputs` must be an array");
        refuses(
                Nested.class,
                "{\"outputs\":[],\"role\":\"SENDER\"}",
                "parameter `role` must be one of sender, both_sides");
    }

    record Secrets(SecretBytes passphrase, Optional<SecretBytes> mnemonic, boolean force) {}

    private static String text(SecretBytes secret) {
        return new String(secret.copy(), StandardCharsets.UTF_8);
    }

    @Test
    void secrets_are_bytes_and_the_readers_copy_is_overwritten() {
        Envelope.Single read = (Envelope.Single) new RequestReader(1)
                .read(
                        ("{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"id\":1,\"params\":"
                                        + "{\"passphrase\":\"gr\u00fc\\u00df\\n\",\"mnemonic\":[\"\",\"a\",\"bc\"],\"force\":true}}")
                                .getBytes(StandardCharsets.UTF_8),
                        AnswerRoom.BOUNDLESS);
        Secrets bound = Binder.strict(Secrets.class).bind(read.envelope().params());
        read.envelope().overwriteSecrets();
        assertThat(text(bound.passphrase())).isEqualTo("gr\u00fc\u00df\n");
        assertThat(text(bound.mnemonic().orElseThrow())).isEqualTo(" a bc");
        assertThat(read.envelope().secrets())
                .hasSize(4)
                .allSatisfy(copy -> assertThat(copy).isEqualTo(new byte[copy.length]));
    }

    @Test
    void a_secret_of_another_shape_is_refused_without_its_value() {
        refuses(Secrets.class, "{\"passphrase\":5,\"force\":true}", "parameter `passphrase` must be a string");
        refuses(
                Secrets.class,
                "{\"passphrase\":\"a\",\"mnemonic\":[5],\"force\":true}",
                "parameter `mnemonic` must be a string or an array of strings");
        refuses(
                Secrets.class,
                "{\"passphrase\":\"a\",\"mnemonic\":[],\"force\":true}",
                "parameter `mnemonic` must be a string or an array of at least one string");
        refuses(Secrets.class, "{\"passphrase\":\"a\",\"force\":1}", "parameter `force` must be true or false");
    }

    record Unread(SecretBytes word) {}

    record Secret(String passphrase) {}

    record Unbindable(Object anything) {}

    @Test
    void a_record_that_cannot_be_bound_is_found_when_the_daemon_starts() {
        assertThatThrownBy(() -> Binder.strict(Secret.class)).hasMessageContaining("a secret must not be a String");
        assertThatThrownBy(() -> Binder.strict(Unread.class)).hasMessageContaining("would make a String of a secret");
        assertThatThrownBy(() -> Binder.strict(Unbindable.class)).hasMessageContaining("not a type of a member");
    }

    @Test
    void the_members_of_an_inlined_record_stand_beside_the_others() {
        assertThat(bind(Sharing.class, "{\"index\":7,\"text\":\"m\",\"address\":\"" + HEX + "\",\"amount\":5}"))
                .isEqualTo(new Sharing(
                        Address.parse(HEX), new Shared(Amount.of(5), Optional.of("m")), OptionalLong.of(7)));
        assertThat(bind(OnlyShared.class, "{\"amount\":5}"))
                .isEqualTo(new OnlyShared(new Shared(Amount.of(5), Optional.empty())));
        refuses(Sharing.class, "{\"address\":\"" + HEX + "\"}", "missing parameter `amount`");
        refuses(
                Sharing.class,
                "{\"address\":\"" + HEX + "\",\"shared\":{\"amount\":5}}",
                "unknown parameter `shared`; known are address, amount, memo, index");
    }

    @Test
    void an_inlined_record_may_not_bring_a_name_twice() {
        record Twice(Amount amount, @Inline Shared shared) {}
        assertThatThrownBy(() -> Binder.strict(Twice.class)).hasMessageContaining("are called amount");
    }

    record Told(
            @OrNull Hash256 blockId,
            @MaybeAbsent Amount fee,
            @I64 long balance,
            Optional<SecretBytes> mnemonic) {}

    @Test
    void an_answer_may_have_unknown_members_and_lack_optional_ones() throws IOException {
        Told told = Binder.lenient(Told.class)
                .bind(new ObjectMapper()
                        .readTree("{\"block_id\":null,\"balance\":-5,\"mnemonic\":\"a b\",\"since_later\":{}}"));
        assertThat(told.blockId()).isNull();
        assertThat(told.fee()).isNull();
        assertThat(told.balance()).isEqualTo(-5);
        assertThat(text(told.mnemonic().orElseThrow())).isEqualTo("a b");
    }

    @Test
    void an_answer_of_a_wrong_shape_is_refused_by_the_member() {
        assertThatThrownBy(() -> Binder.lenient(Told.class).bind(new ObjectMapper().readTree("{\"balance\":\"5\"}")))
                .isInstanceOfSatisfying(
                        WireException.class, e -> assertThat(e.inAnswer()).startsWith("member `balance` must be"));
        assertThatThrownBy(() -> Binder.lenient(Told.class).bind(new ObjectMapper().readTree("{}")))
                .isInstanceOfSatisfying(
                        WireException.class, e -> assertThat(e.inAnswer()).isEqualTo("missing member `balance`"));
    }
}
