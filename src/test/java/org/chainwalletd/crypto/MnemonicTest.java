package org.chainwalletd.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.chainwalletd.crypto.Mnemonic.MnemonicException;
import org.chainwalletd.crypto.Mnemonic.MnemonicException.Reason;
import org.chainwalletd.crypto.Mnemonic.WordList;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MnemonicTest {
    private static final HexFormat HEX = HexFormat.of();
    private static final String ABOUT = "abandon ".repeat(11) + "about";
    private static final String ART = "abandon ".repeat(23) + "art";

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "00000000000000000000000000000000, abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about",
        "7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f, legal winner thank year wave sausage worth useful legal winner thank yellow",
        "80808080808080808080808080808080, letter advice cage absurd amount doctor acoustic avoid letter advice cage above",
        "ffffffffffffffffffffffffffffffff, zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo wrong",
        "7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f, legal winner thank year wave sausage worth useful legal winner thank year wave sausage worth useful legal will",
        "ffffffffffffffffffffffffffffffffffffffffffffffff, zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo when",
        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff, zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo vote",
        "9e885d952ad362caeb4efe34a8e91bd2, ozone drill grab fiber curtain grace pudding thank cruise elder eight picnic",
        "c0ba5a8e914111210f2bd131f3d5e08d, scheme spot photo card baby mountain device kick cradle pact join borrow",
        "68a79eaca2324873eacc50cb9c6eca8cc68ea5d936f98787c60c7ebc74e6ce7c, hamster diagram private dutch cause delay private meat slide toddler razor book happy fancy gospel tennis maple dilemma loan word shrug inflict delay length",
        "f585c11aec520db57dd353c69554b21a89b20fb0650966fa0a9d6f74fd989d8f, void come effort suffer camp survey warrior heavy shoot primary clutch crush open amazing screen patrol group space point ten exist slush involve unfold",
    })
    void entropy_and_words_of_the_reference_vectors(String entropy, String words) {
        try (Mnemonic made = Mnemonic.ofEntropy(HEX.parseHex(entropy));
                Mnemonic read = Mnemonic.parse(utf8(words))) {
            assertThat(text(made)).isEqualTo(words);
            assertThat(entropyHex(read)).isEqualTo(entropy);
            assertThat(read.wordCount()).isEqualTo(words.split(" ").length);
        }
    }

    @Test
    void seed_with_the_empty_passphrase() {
        try (Mnemonic phrase = Mnemonic.parse(utf8(ABOUT));
                SecretBytes seed = phrase.seed()) {
            assertThat(HEX.formatHex(seed.copy()))
                    .isEqualTo("5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc1"
                            + "9a5ac40b389cd370d086206dec8aa6c43daea6690f20ad3d8d48b2d2ce9e38e4");
        }
    }

    @Test
    void any_entropy_survives_being_spelt() {
        Random random = Seeded.random("any_entropy_survives_being_spelt");
        for (int i = 0; i < 500; i++) {
            byte[] entropy = Seeded.bytes(random, 16 + 4 * random.nextInt(5));
            try (Mnemonic made = Mnemonic.ofEntropy(entropy);
                    Mnemonic read = Mnemonic.parse(utf8(text(made)), entropy.length / 4 * 3)) {
                assertThat(entropyHex(read)).isEqualTo(HEX.formatHex(entropy));
            }
        }
    }

    @Test
    void words_may_be_separated_by_any_white_space() {
        for (String space : List.of(
                "\t", "\r\n", "\u000b", "\f", "   ", "\u0085", "\u00a0", "\u1680", "\u2003", "\u2028", "\u2029",
                "\u202f", "\u205f", "\u3000")) {
            String spaced = "\ufeff" + space + ABOUT.replace(" ", space) + space;
            try (Mnemonic phrase = Mnemonic.parse(utf8(spaced))) {
                assertThat(text(phrase)).isEqualTo(ABOUT);
            }
        }
    }

    @Test
    void white_space_that_is_cut_in_the_middle_is_none() {
        byte[] cut = Arrays.copyOf(utf8(ABOUT + "\u3000"), ABOUT.length() + 2);
        assertThat(refusal(() -> Mnemonic.parse(cut)).reason()).isEqualTo(Reason.UNKNOWN_WORD);
    }

    @Test
    void another_number_of_words_is_refused_first() {
        assertThat(refusal(() -> Mnemonic.parse(new byte[0])))
                .hasMessage("a phrase has 12, 15, 18, 21 or 24 words, this one has 0");
        assertThat(refusal(() -> Mnemonic.parse(utf8("abandon ".repeat(13)))))
                .hasMessage("a phrase has 12, 15, 18, 21 or 24 words, this one has 13");
        assertThat(refusal(() -> Mnemonic.parse(utf8(ABOUT), 24))).hasMessage("a phrase has 24 words, this one has 12");
        assertThat(refusal(() -> Mnemonic.parse(utf8("foo ".repeat(25)), 24)))
                .hasMessage("a phrase has 24 words, this one has 25");
        assertThat(refusal(() -> Mnemonic.parse(utf8("foo ".repeat(2_000)))).reason())
                .isEqualTo(Reason.WORD_COUNT);
    }

    @Test
    void asking_for_a_number_of_words_that_no_phrase_has_is_a_callers_error() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Mnemonic.parse(utf8("abandon ".repeat(13)), 13))
                .withMessage("a phrase has 12, 15, 18, 21 or 24 words, not 13");
    }

    /** A word in capitals is a word of the phrase, and one with a typing error nearly so: neither may appear in a message or a log. */
    @Test
    void unknown_words_are_told_by_their_place_and_never_shown() {
        MnemonicException refusal =
                refusal(() -> Mnemonic.parse(utf8("Abandon " + "abandon ".repeat(9) + "abandonn about")));

        assertThat(refusal).hasMessage("not in the English word list: word 1, word 11");
        assertThat(refusal.reason()).isEqualTo(Reason.UNKNOWN_WORD);
        assertThat(refusal(() -> Mnemonic.parse(utf8("ABANDON ".repeat(11) + "ABOUT"))))
                .hasMessage("not in the English word list: word 1, word 2, word 3 and 9 more");
    }

    @Test
    void a_wrong_checksum_is_refused_without_naming_a_word() {
        MnemonicException refusal = refusal(() -> Mnemonic.parse(utf8("abandon ".repeat(24))));

        assertThat(refusal.reason()).isEqualTo(Reason.CHECKSUM);
        assertThat(refusal).hasMessage("the phrase has a wrong checksum: a word is wrong or in the wrong place");
    }

    @Test
    void last_words_that_fit_are_exactly_those_of_the_checksum() {
        int fitting = 0;
        for (int i = 0; i < WordList.SIZE; i++) {
            byte[] words = utf8("abandon ".repeat(23) + new String(WordList.word(i), StandardCharsets.US_ASCII));
            try (Mnemonic phrase = Mnemonic.parse(words)) {
                fitting++;
                assertThat(phrase.wordCount()).isEqualTo(24);
            } catch (MnemonicException e) {
                assertThat(e.reason()).isEqualTo(Reason.CHECKSUM);
            }
        }
        assertThat(fitting).isEqualTo(8);
    }

    @Test
    void any_bytes_are_a_phrase_or_refused() {
        Random random = Seeded.random("any_bytes_are_a_phrase_or_refused");
        for (int i = 0; i < 3000; i++) {
            byte[] input = random.nextBoolean() ? Seeded.bytes(random, random.nextInt(200)) : shuffled(random);
            try (Mnemonic phrase = Mnemonic.parse(input)) {
                assertThat(Mnemonic.isWordCount(phrase.wordCount())).isTrue();
            } catch (MnemonicException refusal) {
                assertThat(refusal.getMessage().length()).isLessThan(160);
            }
        }
    }

    @Test
    void reading_leaves_the_input_to_its_owner() {
        byte[] input = utf8(ART);
        Mnemonic.parse(input).close();
        assertThat(input).isEqualTo(utf8(ART));
    }

    @Test
    void a_closed_phrase_refuses_every_use() {
        Mnemonic phrase = Mnemonic.random(24, new SecureRandom());
        SecretBytes entropy = phrase.entropy();
        phrase.close();

        assertThatIllegalStateException().isThrownBy(phrase::phrase);
        assertThatIllegalStateException().isThrownBy(phrase::seed);
        assertThatIllegalStateException().isThrownBy(phrase::entropy);
        assertThat(entropy.copy()).hasSize(32);
    }

    @Test
    void new_phrases_have_the_wanted_length_and_differ() {
        SecureRandom random = new SecureRandom();
        for (int words : new int[] {12, 15, 18, 21, 24}) {
            try (Mnemonic first = Mnemonic.random(words, random);
                    Mnemonic second = Mnemonic.random(words, random)) {
                assertThat(text(first).split(" ")).hasSize(words);
                assertThat(text(first)).isNotEqualTo(text(second));
            }
        }
        assertThatIllegalArgumentException().isThrownBy(() -> Mnemonic.random(13, random));
    }

    @Test
    void entropy_of_another_length_is_a_callers_error() {
        for (int length : new int[] {0, 12, 15, 17, 33, 36}) {
            assertThatIllegalArgumentException().isThrownBy(() -> Mnemonic.ofEntropy(new byte[length]));
        }
    }

    @Test
    void the_text_form_shows_no_word() {
        try (Mnemonic phrase = Mnemonic.parse(utf8(ART))) {
            assertThat(phrase.toString()).doesNotContain("abandon").doesNotContain("art");
        }
    }

    private static byte[] shuffled(Random random) {
        List<String> words = new ArrayList<>();
        for (int i = 0; i < 12 + 3 * random.nextInt(5); i++) {
            words.add(new String(WordList.word(random.nextInt(WordList.SIZE)), StandardCharsets.US_ASCII));
        }
        Collections.shuffle(words, random);
        return utf8(String.join(" ", words));
    }

    private static MnemonicException refusal(ThrowingCallable call) {
        return catchThrowableOfType(MnemonicException.class, call);
    }

    private static String text(Mnemonic phrase) {
        try (SecretBytes words = phrase.phrase()) {
            return new String(words.copy(), StandardCharsets.UTF_8);
        }
    }

    private static String entropyHex(Mnemonic phrase) {
        try (SecretBytes entropy = phrase.entropy()) {
            return HEX.formatHex(entropy.copy());
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
