package dev.nodepath.dns;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.ObjectRules;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ObjectStore;
import dev.nodepath.linux.Eventually;
import io.netty.handler.codec.dns.DnsRecordType;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

class ClusterSourceTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int NAMES = 10_000;

    private final ClusterApi api = new ClusterApi(new ObjectStore(0, 100), ObjectRules.NONE, InstantSource.system());
    private final LiveZone zone = new LiveZone(Zone.empty(ZoneConfig.DEFAULT), InstantSource.system());
    private ClusterSource source;

    @BeforeEach
    void start() {
        create(Resources.NAMESPACES, "{metadata: {name: shop}}");
        create(
                Resources.SERVICES,
                "{metadata: {namespace: shop, name: web}, spec: {clusterIP: 10.96.0.20, clusterIPs: ['10.96.0.20', 'fd00::20'],"
                        + " ports: [{name: http, port: 80}]}}");
        source = new ClusterSource(api, zone);
        Eventually.isTrue("synced", () -> !code("shop.svc").equals("ServFail"));
    }

    @AfterEach
    void stop() {
        source.close();
    }

    @Test
    void whatWasThereIsThere() {
        assertThat(answers("web.shop.svc", DnsRecordType.AAAA)).isEqualTo(1);
        assertThat(answers("_http._tcp.web.shop.svc", DnsRecordType.SRV)).isEqualTo(1);
        assertThat(code("shop.svc")).isEqualTo("NoError");
    }

    @Test
    void followsServicesSlicesAndNamespaces() {
        create(
                Resources.ENDPOINT_SLICES,
                "{metadata: {namespace: shop, name: db-1, labels: {kubernetes.io/service-name: db}}, addressType: IPv4,"
                        + " ports: [{name: sql, port: 5432}],"
                        + " endpoints: [{addresses: ['10.244.1.5'], hostname: db-0, conditions: {ready: true}},"
                        + " {addresses: ['10.244.1.6'], conditions: {ready: false}}]}");
        create(Resources.SERVICES, "{metadata: {namespace: shop, name: db}, spec: {clusterIP: None}}");
        awaitAnswers("db.shop.svc", 1);
        assertThat(answers("_sql._tcp.db.shop.svc", DnsRecordType.SRV)).isEqualTo(1);
        assertThat(answers("db-0.db.shop.svc", DnsRecordType.A)).isEqualTo(1);

        create(
                Resources.ENDPOINT_SLICES,
                "{metadata: {namespace: shop, name: db-2, labels: {kubernetes.io/service-name: db}}, addressType: IPv4,"
                        + " endpoints: [{addresses: ['10.244.1.7']}]}");
        awaitAnswers("db.shop.svc", 2);

        api.modify(Resources.ENDPOINT_SLICES, new ObjectKey("shop", "db-2"), "", slice -> {
            slice.withObjectProperty("metadata")
                    .withObjectProperty("labels")
                    .put("kubernetes.io/service-name", "other");
            return slice;
        });
        awaitAnswers("db.shop.svc", 1);

        delete(Resources.ENDPOINT_SLICES, "db-1");
        Eventually.isTrue("no endpoint, no name", () -> code("db.shop.svc").equals("NXDomain"));
        delete(Resources.SERVICES, "web");
        Eventually.isTrue("no Service, no name", () -> code("web.shop.svc").equals("NXDomain"));
    }

    @Test
    void objectThatCannotBeUsedHasNoNames() {
        create(
                Resources.SERVICES,
                "{metadata: {namespace: shop, name: bad}, spec: {type: ExternalName, externalName: 'a..b'}}");
        create(Resources.SERVICES, "{metadata: {namespace: shop, name: bad2}, spec: {clusterIP: '10.0.0'}}");
        create(Resources.SERVICES, "{metadata: {namespace: shop, name: good}, spec: {clusterIP: '10.0.0.1'}}");
        awaitAnswers("good.shop.svc", 1);
        assertThat(code("bad.shop.svc")).isEqualTo("NXDomain");
        assertThat(code("bad2.shop.svc")).isEqualTo("NXDomain");
    }

    /** An alias that no resolver can follow would be an answer without an address. */
    @Test
    void externalNameThatIsAnAddressHasNoName() {
        List<String> targets = List.of("172.31.21.116", "172.31.21.117.", "fd00::1");
        for (int i = 0; i < targets.size(); i++) {
            create(
                    Resources.SERVICES,
                    "{metadata: {namespace: shop, name: to-address-" + i
                            + "}, spec: {type: ExternalName, externalName: '" + targets.get(i) + "'}}");
        }
        create(
                Resources.SERVICES,
                "{metadata: {namespace: shop, name: to-name}, spec: {type: ExternalName, externalName: '1.example'}}");
        awaitAnswers("to-name.shop.svc", 1);
        for (int i = 0; i < targets.size(); i++) {
            assertThat(code("to-address-" + i + ".shop.svc")).as(targets.get(i)).isEqualTo("NXDomain");
        }
    }

    @Test
    @Tag("figures")
    void timeOfAChangeAmongTenThousandNames() {
        for (int i = 0; i < NAMES; i++) {
            create(
                    Resources.SERVICES,
                    "{metadata: {namespace: shop, name: s" + i + "}, spec: {clusterIP: 10.97." + i / 256 + "." + i % 256
                            + "}}");
        }
        awaitAnswers("s" + (NAMES - 1) + ".shop.svc", 1);
        long worst = 0;
        long sum = 0;
        for (int i = 0; i < 1000; i++) {
            long start = System.nanoTime();
            create(
                    Resources.SERVICES,
                    "{metadata: {namespace: shop, name: n" + i + "}, spec: {clusterIP: 10.98." + i / 256 + "." + i % 256
                            + "}}");
            while (answers("n" + i + ".shop.svc", DnsRecordType.A) == 0) {
                Thread.onSpinWait();
            }
            long took = System.nanoTime() - start;
            worst = Math.max(worst, took);
            sum += took;
        }
        System.out.printf(
                "a change among %d names is visible after %d us on average, %d us at worst%n",
                NAMES, sum / 1000 / 1000, worst / 1000);
    }

    private void create(Resource resource, String text) {
        Object yaml = new Load(LoadSettings.builder().build()).loadFromString(text);
        api.create(resource, JSON.valueToTree(yaml));
    }

    private void delete(Resource resource, String name) {
        api.delete(resource, new ObjectKey("shop", name), Deletion.NOW);
    }

    private void awaitAnswers(String name, int expected) {
        Eventually.isTrue(name, () -> answers(name, DnsRecordType.A) == expected);
    }

    private int answers(String name, DnsRecordType type) {
        return ask(name, type).answers().size();
    }

    private String code(String name) {
        String code = ask(name, DnsRecordType.A).code().toString();
        return code.substring(0, code.indexOf('('));
    }

    private Answer ask(String name, DnsRecordType type) {
        return zone.current()
                .answer(new ZoneQuestion(DomainName.of(name + ".cluster.local"), type))
                .orElseThrow();
    }
}
