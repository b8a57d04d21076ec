package dev.nodepath.dns;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.dns.RecordData.Address;
import dev.nodepath.dns.RecordData.Authority;
import dev.nodepath.dns.RecordData.Location;
import dev.nodepath.dns.RecordData.Target;
import dev.nodepath.dns.RecordData.Text;
import dev.nodepath.linux.address.IpAddress;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponseCode;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ZoneTest {
    private static final Zone ZONE = ExampleZone.zone();

    /** Names are below {@code cluster.local} unless they end in a dot; NODATA is NOERROR without records. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            web.shop.svc                   | A    | 10.96.0.20
            web.shop.svc                   | AAAA | fd00::20
            WEB.Shop.SVC.cluster.LOCAL.    | A    | 10.96.0.20
            web.shop.svc                   | MX   | NODATA
            web.shop.svc                   | SOA  | NODATA
            web.shop.svc                   | NS   | NODATA
            web.shop.svc                   | TXT  | NODATA
            web.shop.svc                   | CNAME | NODATA
            _http._tcp.web.shop.svc        | SRV  | 0 100 80 web.shop.svc.cluster.local.
            _http._tcp.web.shop.svc        | A    | 10.96.0.20
            _HTTP._tcp.web.shop.svc        | AAAA | fd00::20
            _http._tcp.web.shop.svc        | MX   | NODATA
            web.shop.svc                   | SRV  | 0 100 80 web.shop.svc.cluster.local.
            two.shop.svc                   | SRV  | 0 50 443 two.shop.svc.cluster.local., 0 50 80 two.shop.svc.cluster.local.
            two.shop.svc                   | AAAA | NODATA
            _https._tcp.two.shop.svc       | A    | 10.96.0.21
            _https._udp.two.shop.svc       | A    | NXDOMAIN
            _tcp.web.shop.svc              | A    | NODATA
            _udp.web.shop.svc              | A    | NXDOMAIN
            _https._tcp.web.shop.svc       | SRV  | NXDOMAIN
            nosuch.shop.svc                | A    | NXDOMAIN
            web.nosuch.svc                 | A    | NXDOMAIN
            nosuch.svc                     | A    | NXDOMAIN
            x.web.shop.svc                 | A    | NXDOMAIN
            web-0.web.shop.svc             | A    | 10.244.4.1
            web-0.web.shop.svc             | AAAA | fd00:4::1
            web-0.web.shop.svc             | SRV  | 0 100 5432 web-0.web.shop.svc.cluster.local.
            10-244-4-1.web.shop.svc        | A    | NXDOMAIN
            10-244-4-2.web.shop.svc        | A    | 10.244.4.2
            10-244-4-2.web.shop.svc        | AAAA | NODATA
            web-2.web.shop.svc             | A    | NXDOMAIN
            1.4.244.10.in-addr.arpa.       | PTR  | web-0.web.shop.svc.cluster.local.
            2.4.244.10.in-addr.arpa.       | PTR  | 10-244-4-2.web.shop.svc.cluster.local.
            3.4.244.10.in-addr.arpa.       | PTR  | NXDOMAIN
            shop.svc                       | A    | NODATA
            bare.svc                       | A    | NODATA
            svc                            | A    | NODATA
            pod                            | A    | NODATA
            shop.pod                       | A    | NODATA
            nosuch.pod                     | A    | NXDOMAIN
            cluster.local.                 | A    | NODATA
            cluster.local.                 | SOA  | ns.dns.cluster.local. hostmaster.cluster.local. 30
            cluster.local.                 | NS   | ns.dns.cluster.local.
            svc                            | NS   | NODATA
            ns.dns                         | A    | 10.96.0.10
            ns.dns                         | SRV  | NODATA
            dns                            | A    | NODATA
            nosuch                         | A    | NXDOMAIN
            db.shop.svc                    | A    | 10.244.1.5, 10.244.2.6
            db.shop.svc                    | AAAA | NODATA
            all.shop.svc                   | A    | 10.244.1.5, 10.244.2.6, 10.244.2.7
            db-0.db.shop.svc               | A    | 10.244.1.5
            DB-0.db.shop.svc               | A    | 10.244.1.5
            10-244-2-6.db.shop.svc         | A    | 10.244.2.6
            10-244-2-7.db.shop.svc         | A    | NXDOMAIN
            10-244-2-7.all.shop.svc        | A    | 10.244.2.7
            _sql._tcp.db.shop.svc          | SRV  | 0 50 5432 10-244-2-6.db.shop.svc.cluster.local., 0 50 5432 db-0.db.shop.svc.cluster.local.
            _sql._tcp.db.shop.svc          | A    | 10.244.1.5, 10.244.2.6
            _sql._tcp.db.shop.svc          | AAAA | NODATA
            _sql._tcp.empty.shop.svc       | A    | NXDOMAIN
            db.shop.svc                    | SRV  | 0 50 5432 10-244-2-6.db.shop.svc.cluster.local., 0 50 5432 db-0.db.shop.svc.cluster.local.
            db-0.db.shop.svc               | SRV  | 0 100 5432 db-0.db.shop.svc.cluster.local.
            portless.shop.svc              | A    | 10.244.1.8
            portless.shop.svc              | SRV  | NODATA
            5.1.244.10.in-addr.arpa.       | PTR  | db-0.all.shop.svc.cluster.local., db-0.db.shop.svc.cluster.local.
            6.2.244.10.in-addr.arpa.       | PTR  | 10-244-2-6.all.shop.svc.cluster.local., \
            10-244-2-6.db.shop.svc.cluster.local.
            7.2.244.10.in-addr.arpa.       | PTR  | 10-244-2-7.all.shop.svc.cluster.local.
            20.0.96.10.in-addr.arpa.       | PTR  | web.shop.svc.cluster.local.
            20.0.96.10.IN-ADDR.arpa.       | A    | NODATA
            9.9.244.10.in-addr.arpa.       | PTR  | NXDOMAIN
            x.9.244.10.in-addr.arpa.       | PTR  | NXDOMAIN
            1.9.9.244.10.in-addr.arpa.     | PTR  | NXDOMAIN
            10.in-addr.arpa.               | PTR  | NODATA
            0.2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.d.f.ip6.arpa. | PTR | web.shop.svc.cluster.local.
            1.2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.d.f.ip6.arpa. | PTR | NXDOMAIN
            empty.shop.svc                 | A    | NXDOMAIN
            ext.shop.svc                   | A    | www.example.org.
            ext.shop.svc                   | CNAME | www.example.org.
            inner.shop.svc                 | A    | 10.96.0.20, web.shop.svc.cluster.local.
            loop.shop.svc                  | A    | SERVFAIL
            10-244-1-5.shop.pod            | A    | 10.244.1.5
            10-244-1-5.shop.pod            | AAAA | NODATA
            10-244-1.shop.pod              | A    | NXDOMAIN
            10-244-1-5.nosuch.pod          | A    | NXDOMAIN
            5678-abcd--1.shop.pod          | AAAA | 5678:abcd::1
            dns-version                    | TXT  | 1.1.0
            dns-version                    | A    | NODATA
            x.dns-version                  | TXT  | NXDOMAIN
            www.example.org.               | A    | OUTSIDE
            local.                         | A    | OUTSIDE
            """)
    void answersAsTheSpecificationAndCoreDnsDo(String name, String type, String expected) {
        assertThat(text(ZONE, name, type)).isEqualTo(expected);
    }

    @Test
    void negativeAnswersBringTheAuthority() {
        for (String name : List.of("nosuch.shop.svc", "shop.svc", "9.9.244.10.in-addr.arpa.")) {
            Answer answer = ask(ZONE, name, "A");
            assertThat(answer.authority())
                    .singleElement()
                    .satisfies(each -> assertThat(each.type()).isEqualTo(DnsRecordType.SOA));
            assertThat(answer.authoritative()).isTrue();
        }
    }

    @Test
    void serviceLocationsBringTheAddressesOfTheirTargets() {
        assertThat(texts(ask(ZONE, "_http._tcp.web.shop.svc", "SRV").additional()))
                .containsExactlyInAnyOrder("10.96.0.20", "fd00::20");
        assertThat(texts(ask(ZONE, "web.shop.svc", "SRV").additional()))
                .containsExactlyInAnyOrder("10.96.0.20", "fd00::20");
        assertThat(texts(ask(ZONE, "web-0.web.shop.svc", "SRV").additional()))
                .containsExactlyInAnyOrder("10.244.4.1", "fd00:4::1");
        for (String name : List.of("_sql._tcp.db.shop.svc", "db.shop.svc")) {
            assertThat(texts(ask(ZONE, name, "SRV").additional()))
                    .containsExactlyInAnyOrder("10.244.1.5", "10.244.2.6");
        }
    }

    @Test
    void aliasOfAMissingNameIsMissing() {
        Answer answer = ask(ZONE, "lost.shop.svc", "A");
        assertThat(answer.code()).isEqualTo(DnsResponseCode.NXDOMAIN);
        assertThat(texts(answer.answers())).containsExactly("gone.shop.svc.cluster.local.");
    }

    @Test
    void aliasThatLeadsOutsideIsTheWholeAnswer() {
        assertThat(text(ZONE, "ext.shop.svc", "A")).isEqualTo("www.example.org.");
    }

    @Test
    void saysNothingBeforeItIsSynced() {
        Zone zone = ExampleZone.unsynced();
        for (String name : List.of("web.shop.svc", "nosuch.shop.svc", "20.0.96.10.in-addr.arpa.")) {
            assertThat(text(zone, name, "A")).isEqualTo("SERVFAIL");
        }
    }

    @Test
    void endpointsOfOneHostnameShareItsName() {
        Zone zone = ZONE.with(
                ExampleZone.headless("twins", false),
                List.of(
                        ExampleZone.endpoint("10.244.3.1", "twin", true),
                        ExampleZone.endpoint("fd00::3", "twin", true)));
        assertThat(text(zone, "twin.twins.shop.svc", "A")).isEqualTo("10.244.3.1");
        assertThat(text(zone, "twin.twins.shop.svc", "AAAA")).isEqualTo("fd00::3");
        assertThat(text(zone, "_sql._tcp.twins.shop.svc", "SRV"))
                .isEqualTo("0 100 5432 twin.twins.shop.svc.cluster.local.");
        assertThat(texts(ask(zone, "_sql._tcp.twins.shop.svc", "SRV").additional()))
                .containsExactlyInAnyOrder("10.244.3.1", "fd00::3");
    }

    @Test
    void weightsOfManyEndpointsAreAtLeastOne() {
        assertThat(ask(ZONE, "_sql._tcp.big.shop.svc", "SRV").answers())
                .hasSize(200)
                .allSatisfy(
                        each -> assertThat(((Location) each.data()).weight()).isEqualTo(1));
    }

    @Test
    void changedServiceLeavesNothingOfWhatItWas() {
        Zone zone = ZONE.with(ExampleZone.alias("web", "www.example.org"), List.of())
                .with(ExampleZone.headless("db", false), List.of(ExampleZone.endpoint("10.244.9.9", "db-0", true)));
        assertThat(text(zone, "web.shop.svc", "A")).isEqualTo("www.example.org.");
        assertThat(text(zone, "20.0.96.10.in-addr.arpa.", "PTR")).isEqualTo("NXDOMAIN");
        assertThat(text(zone, "db-0.db.shop.svc", "A")).isEqualTo("10.244.9.9");
        assertThat(text(zone, "9.9.244.10.in-addr.arpa.", "PTR")).isEqualTo("db-0.db.shop.svc.cluster.local.");
        assertThat(text(zone, "5.1.244.10.in-addr.arpa.", "PTR")).isEqualTo("db-0.all.shop.svc.cluster.local.");
        assertThat(text(ZONE, "web.shop.svc", "A")).isEqualTo("10.96.0.20");
        assertThat(text(zone.without(new ServiceName("shop", "db")), "db.shop.svc", "A"))
                .isEqualTo("NXDOMAIN");
    }

    @Test
    void goneNamespaceDoesNotExist() {
        assertThat(text(ZONE.withoutNamespace("bare"), "bare.svc", "A")).isEqualTo("NXDOMAIN");
    }

    @Test
    void orderOfAddressesChanges() {
        Answer answer = ask(ZONE, "db.shop.svc", "A");
        Set<List<String>> orders = new HashSet<>();
        Random random = new Random(7);
        for (int i = 0; i < 50; i++) {
            orders.add(texts(answer.shuffled(random).answers()));
        }
        assertThat(orders).hasSize(2);
        Answer alias = ask(ZONE, "inner.shop.svc", "A");
        for (int i = 0; i < 50; i++) {
            assertThat(texts(alias.shuffled(random).answers())).first().isEqualTo("web.shop.svc.cluster.local.");
        }
    }

    private static Answer ask(Zone zone, String name, String type) {
        DomainName full = name.endsWith(".") ? DomainName.of(name) : DomainName.of(name + ".cluster.local");
        return zone.answer(new ZoneQuestion(full, DnsRecordType.valueOf(type)))
                .orElse(Answer.of(DnsResponseCode.NOTZONE));
    }

    private static String text(Zone zone, String name, String type) {
        Answer answer = ask(zone, name, type);
        if (answer.code().equals(DnsResponseCode.NOTZONE)) {
            return "OUTSIDE";
        }
        if (!answer.code().equals(DnsResponseCode.NOERROR)) {
            return answer.code().toString().replaceFirst("\\(.*", "").toUpperCase(Locale.ROOT);
        }
        return answer.answers().isEmpty()
                ? "NODATA"
                : String.join(", ", texts(answer.answers()).stream().sorted().toList());
    }

    private static List<String> texts(List<ResourceRecord> records) {
        return records.stream().map(each -> text(each.data())).toList();
    }

    private static String text(RecordData data) {
        if (data instanceof Address address) {
            IpAddress ip = address.address();
            return ip.toString();
        } else if (data instanceof Target target) {
            return target.name().toString();
        } else if (data instanceof Location location) {
            return location.priority() + " " + location.weight() + " " + location.port() + " " + location.target();
        } else if (data instanceof Text text) {
            return text.text();
        }
        Authority authority = (Authority) data;
        return authority.server() + " " + authority.mailbox() + " " + authority.negativeTtl();
    }
}
