package dev.nodepath.cni.ipam;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Allocation order and range checks, with the worked examples of host-local's own tests. */
class RangeSetTest {

    @ParameterizedTest(name = "{0} used {1} last {2} gives {3}")
    @CsvSource(
            nullValues = "-",
            value = {
                "10.0.0.0/29, -, -, 10.0.0.2",
                "10.0.0.0/29, 10.0.0.2, -, 10.0.0.3",
                "10.0.0.0/29, -, 10.0.0.5, 10.0.0.6",
                "10.0.0.0/29, 10.0.0.4 10.0.0.5, 10.0.0.3, 10.0.0.6",
                "10.0.0.0/29, 10.0.0.6, 10.0.0.5, 10.0.0.2",
                "10.0.0.0/29, 10.0.0.2, 10.0.0.128, 10.0.0.3",
                "10.0.0.0/29, 10.0.0.2 10.0.0.4 10.0.0.5 10.0.0.6, 10.0.0.3, 10.0.0.3",
                "10.0.0.0/30 10.0.1.0/30, -, 10.0.0.2, 10.0.1.2",
                "10.0.0.0/30 10.0.1.0/30 10.0.2.0/30, -, 10.0.2.2, 10.0.0.2",
                "10.0.0.0/29, 10.0.0.2 10.0.0.3 10.0.0.4 10.0.0.5 10.0.0.6, -, -",
                "10.0.0.0/29, 10.0.0.2 10.0.0.3 10.0.0.4 10.0.0.5 10.0.0.6, 10.0.0.4, -",
                "2001:db8::/126, -, -, 2001:db8::2",
                "2001:db8::/126, -, 2001:db8::2, 2001:db8::3",
                "2001:db8::/126, -, 2001:db8::3, 2001:db8::2",
            })
    void takesTheNextFreeAddressAfterTheLast(String subnets, String used, String last, String expected)
            throws IOException {
        List<IpAddress> taken = used == null ? List.of() : addresses(used);
        Optional<RangeSet.Candidate> found = set(subnets)
                .firstAfter(Optional.ofNullable(last).map(IpAddress::parse), address -> !taken.contains(address));
        assertThat(found.map(candidate -> candidate.address().address().toString()))
                .isEqualTo(Optional.ofNullable(expected));
    }

    @Test
    void offersEveryAddressOnceAroundToTheLast() throws IOException {
        assertThat(offered("10.0.0.0/29", "10.0.0.3"))
                .containsExactly("10.0.0.4", "10.0.0.5", "10.0.0.6", "10.0.0.2", "10.0.0.3");
    }

    @Test
    void offersNothingWhenTheOnlyAddressIsTheGateway() throws IOException {
        IpAddress one = IpAddress.parse("10.0.0.1");
        AddressRange range =
                AddressRange.of(Cidr.parse("10.0.0.0/24"), Optional.of(one), Optional.of(one), Optional.of(one));
        assertThat(new RangeSet(List.of(range)).firstAfter(Optional.empty(), address -> true))
                .isEmpty();
    }

    @Test
    void givesPrefixLengthAndGatewayOfTheRangeThatTheAddressIsIn() throws IOException {
        RangeSet set = set("10.0.0.0/30 10.0.1.0/24");
        RangeSet.Candidate found = set.firstAfter(Optional.of(IpAddress.parse("10.0.0.2")), address -> true)
                .orElseThrow();
        assertThat(found).isEqualTo(new RangeSet.Candidate(Cidr.parse("10.0.1.2/24"), IpAddress.parse("10.0.1.1")));
    }

    @ParameterizedTest(name = "{0} {1} {2} {3}: {4}")
    @CsvSource(
            nullValues = "-",
            delimiter = '|',
            value = {
                "192.0.2.0/31|-|-|-|Network 192.0.2.0/31 too small to allocate from",
                "2001:db8::/127|-|-|-|Network 2001:db8::/127 too small to allocate from",
                "192.0.2.12/24|-|-|-|Network has host bits set. For a subnet mask of length 24 the network address is"
                        + " 192.0.2.0",
                "192.0.2.0/24|192.0.3.0|-|-|RangeStart 192.0.3.0 not in network 192.0.2.0/24",
                "192.0.2.0/24|-|192.0.3.0|-|RangeEnd 192.0.3.0 not in network 192.0.2.0/24",
                "192.0.2.0/24|192.0.2.50|192.0.2.40|-|RangeStart 192.0.2.50 is after RangeEnd 192.0.2.40",
                "192.0.2.0/24|2001:db8::1|-|-|RangeStart 2001:db8::1 not in network 192.0.2.0/24",
                "192.0.2.0/24|-|-|2001:db8::1|Gateway 2001:db8::1 of a network of another family, 192.0.2.0/24",
            })
    void refusesBadRanges(String subnet, String start, String end, String gateway, String message) {
        assertThatThrownBy(() -> AddressRange.of(Cidr.parse(subnet), parse(start), parse(end), parse(gateway)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @ParameterizedTest(name = "{0}: {1}-{2}, gateway {3}")
    @CsvSource({
        "192.0.2.0/24, 192.0.2.1, 192.0.2.254, 192.0.2.1",
        "10.0.0.0/30, 10.0.0.1, 10.0.0.2, 10.0.0.1",
        "2001:db8:1::/64, 2001:db8:1::1, 2001:db8:1:0:ffff:ffff:ffff:ffff, 2001:db8:1::1",
    })
    void hasDefaults(String subnet, String start, String end, String gateway) {
        AddressRange range = AddressRange.of(Cidr.parse(subnet), Optional.empty(), Optional.empty(), Optional.empty());
        assertThat(range).hasToString(start + "-" + end);
        assertThat(range.gateway()).hasToString(gateway);
    }

    @Test
    void refusesSetsThatMixFamiliesOrOverlap() {
        assertThatThrownBy(() -> set("10.0.0.0/24 2001:db8::/64")).hasMessage("mixed address families");
        assertThatThrownBy(() -> set("10.0.0.0/24 10.0.0.0/16"))
                .hasMessage("subnets 10.0.0.1-10.0.0.254 and 10.0.0.1-10.0.255.254 overlap");
        assertThatThrownBy(() -> new RangeSet(List.of())).hasMessage("empty range set");
    }

    @ParameterizedTest(name = "{0} without {1} after {2} offers {3}")
    @CsvSource({
        "10.0.0.0/29, 10.0.0.2/32, 10.0.0.6, 10.0.0.3 10.0.0.4 10.0.0.5 10.0.0.6",
        "10.0.0.0/29, 10.0.0.4/30, 10.0.0.2, 10.0.0.3 10.0.0.2",
        "10.0.0.0/29, 10.0.0.0/30 10.0.0.6/32, 10.0.0.6, 10.0.0.4 10.0.0.5",
        "10.0.0.0/29, 10.0.0.6/32 10.0.0.5/32 10.0.0.4/32, 10.0.0.5, 10.0.0.2 10.0.0.3",
        "10.0.0.0/29 10.0.1.0/29, 10.0.0.0/30 10.0.0.4/31 10.0.1.0/30 10.0.1.4/31, 10.0.0.6, 10.0.1.6 10.0.0.6",
        "2001:db8::/64, 2001:db8::/65 2001:db8:0:0:8000::/66 2001:db8:0:0:c000::/67 2001:db8:0:0:e000::/68"
                + " 2001:db8:0:0:f000::/69 2001:db8:0:0:f800::/70, 2001:db8::7, 2001:db8:0:0:fc00::",
    })
    void leavesOutWhatIsExcluded(String subnets, String excluded, String last, String expected) throws IOException {
        List<Cidr> networks =
                Arrays.stream(excluded.split(" ")).map(Cidr::parse).toList();
        RangeSet set = new RangeSet(set(subnets).ranges().stream()
                .map(range -> range.without(networks))
                .toList());
        List<String> wanted = List.of(expected.split(" "));
        List<String> offered = new ArrayList<>();
        Optional<RangeSet.Candidate> found = set.firstAfter(Optional.of(IpAddress.parse(last)), address -> {
            offered.add(address.toString());
            return offered.size() == wanted.size() && wanted.size() == 1; // an IPv6 network is too long to count
        });
        assertThat(offered).isEqualTo(wanted);
        assertThat(found.isPresent()).isEqualTo(wanted.size() == 1);
    }

    @Test
    void refusesToExcludeEverythingOrAnotherFamily() {
        AddressRange range = set("10.0.0.0/29").ranges().get(0);
        assertThatThrownBy(() -> range.without(List.of(Cidr.parse("10.0.0.0/30"), Cidr.parse("10.0.0.4/30"))))
                .hasMessage("exclude leaves no address of 10.0.0.1-10.0.0.6");
        assertThatThrownBy(() -> range.without(List.of(Cidr.parse("fd00::/64"))))
                .hasMessage("exclude: fd00::/64 is of another family than 10.0.0.0/29");
    }

    private static List<String> offered(String subnets, String last) throws IOException {
        List<String> offered = new ArrayList<>();
        Optional<RangeSet.Candidate> none = set(subnets).firstAfter(Optional.of(IpAddress.parse(last)), address -> {
            offered.add(address.toString());
            return false;
        });
        assertThat(none).isEmpty();
        return offered;
    }

    private static RangeSet set(String subnets) {
        return new RangeSet(Arrays.stream(subnets.split(" "))
                .map(text -> AddressRange.of(Cidr.parse(text), Optional.empty(), Optional.empty(), Optional.empty()))
                .toList());
    }

    private static List<IpAddress> addresses(String texts) {
        return Arrays.stream(texts.split(" ")).map(IpAddress::parse).toList();
    }

    private static Optional<IpAddress> parse(String text) {
        return Optional.ofNullable(text).map(IpAddress::parse);
    }
}
