package org.chainwalletd.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The published ed25519 vectors of SLIP-0010. */
class Slip10Test {
    private static final HexFormat HEX = HexFormat.of();
    private static final String SEED_1 = "000102030405060708090a0b0c0d0e0f";
    private static final String SEED_2 = "fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a2"
            + "9f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542";

    @ParameterizedTest(name = "test vector 1, m{0}")
    @CsvSource({
        "'', 2b4be7f19ee27bbf30c667b642d5f4aa69fd169872f8fc3059c08ebae2eb19e7",
        "/0, 68e0fe46dfb67e368c75379acec591dad19df3cde26e63b93a8e704f1dade7a3",
        "/0/1, b1d0bad404bf35da785a64ca1ac54b2617211d2777696fbffaf208f746ae84f2",
        "/0/1/2, 92a5b23c0b8a99e37d07df3fb9966917f5d06e02ddbd909c7e184371463e9fc9",
        "/0/1/2/2, 30d1dc7e5fc04c31219ab25a27ae00b50f6fd66622f6e9c913253d6511d1e662",
        "/0/1/2/2/1000000000, 8f94d394a8e8fd6b1bc2f3f49f5c47e385281d5c17e65324b0f62483e37e8793",
    })
    void vector1(String path, String key) {
        assertThat(derive(SEED_1, path)).isEqualTo(key);
    }

    @ParameterizedTest(name = "test vector 2, m{0}")
    @CsvSource({
        "'', 171cb88b1b3c1db25add599712e36245d75bc65a1a5c9e18d76f9f2b1eab4012",
        "/0, 1559eb2bbec5790b0c65d8693e4d0875b1747f4970ae8b650486ed7470845635",
        "/0/2147483647, ea4f5bfe8694d8bb74b7b59404632fd5968b774ed545e810de9c32a4fb4192f4",
        "/0/2147483647/1, 3757c7577170179c7868353ada796c839135b3d30554bbb74a4b1e4a5a58505c",
        "/0/2147483647/1/2147483646, 5837736c89570de861ebc173b1086da4f505d4adb387c6a1b1342d5e4ac9ec72",
        "/0/2147483647/1/2147483646/2, 551d333177df541ad876a60ea71f00447931c0a9da16f227c11ea080d7391b8d",
    })
    void vector2(String path, String key) {
        assertThat(derive(SEED_2, path)).isEqualTo(key);
    }

    @Test
    void an_index_has_no_hardening_bit_of_its_own() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeyDerivation.Slip10.derive(new byte[64], 44, 0x8000_0000))
                .withMessage("index must be in 0 … 2^31-1, not 2147483648");
    }

    private static String derive(String seed, String path) {
        int[] indexes = Stream.of(path.split("/"))
                .filter(part -> !part.isEmpty())
                .mapToInt(Integer::parseInt)
                .toArray();
        byte[] bytes = HEX.parseHex(seed);
        byte[] before = Arrays.copyOf(bytes, bytes.length);
        try (SecretBytes key = KeyDerivation.Slip10.derive(bytes, indexes)) {
            assertThat(bytes).isEqualTo(before);
            return key.use(HEX::formatHex);
        }
    }
}
