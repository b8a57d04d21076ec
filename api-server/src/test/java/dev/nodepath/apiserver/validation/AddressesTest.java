package dev.nodepath.apiserver.validation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressesTest {
    @ParameterizedTest
    @CsvSource(nullValues = "-", textBlock = """
            10.0.0.1,          10.0.0.1
            2001:DB8::0:1,     2001:db8::1
            10.0.0.01,         -
            10.0.0,            -
            ::ffff:10.0.0.1,   -
            fe80::1%eth0,      -
            localhost,         -
            '',                -
            """)
    void readsAddresses(String text, String address) {
        assertThat(Addresses.parse(text).map(Object::toString).orElse(null)).isEqualTo(address);
    }

    @ParameterizedTest
    @CsvSource(nullValues = "-", textBlock = """
            10.96.0.0/12,        10.96.0.0/12
            10.97.1.1/12,        10.96.0.0/12
            2001:db8::1/64,      2001:db8::/64
            10.96.0.0/012,       -
            10.96.0.0/33,        -
            10.96.0.0,           -
            ::ffff:10.0.0.0/120, -
            """)
    void readsNetworks(String text, String network) {
        assertThat(Addresses.parseNetwork(text).map(Object::toString).orElse(null))
                .isEqualTo(network);
    }
}
