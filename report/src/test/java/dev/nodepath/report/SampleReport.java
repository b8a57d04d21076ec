package dev.nodepath.report;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** A report with everything in it that a report can have, the same at each call. */
public final class SampleReport {
    private static final List<String> PROXIES =
            List.of("direct", "userspace", "iptables", "haproxy", "nginx", "bare command mmm", "kube-proxy-iptables");

    private final Random random = new Random(7);

    private SampleReport() {}

    /** The report. */
    public static Report create() {
        return new SampleReport().report();
    }

    private Report report() {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("kernel", "Linux 6.18.0");
        facts.put("processor", "AMD EPYC <Milan> Processor");
        facts.put("cores", "2");
        facts.put("memory", "24683620 kB");
        facts.put("java", "OpenJDK 64-Bit Server VM 17.0.15+6");
        facts.put(
                "mitigations",
                "spec_store_bypass: Mitigation: Speculative Store Bypass disabled via prctl; spectre_v1:"
                        + " Mitigation: usercopy/swapgs barriers and __user pointer sanitization");
        return new Report(
                "Nodepath bench",
                Instant.parse("2026-11-20T10:00:00Z"),
                Duration.ofSeconds(1234),
                new Environment(facts, 2, new Conditions(1.7, 0.9, 0.03, 2.5, Double.NaN)),
                List.of(
                        relays(),
                        scale(),
                        cni(),
                        SuiteResult.nothing("churn", "FAILED: port 8080: taken.", "scripts/nodepath bench churn")),
                false,
                "scripts/nodepath bench --peers=haproxy,nginx --kube-proxy=/usr/local/bin/kube-proxy");
    }

    private SuiteResult relays() {
        List<Figure> figures = new ArrayList<>();
        for (String group : List.of("Bulk, 1 stream", "Bulk, 4 streams")) {
            figures.add(
                    figure(group, "throughput", "Gb/s", false, 17, FigureTarget.ratio("userspace", "haproxy", 0.95)));
            figures.add(figure(group, "CPU time for each GB", "s", true, 0.4, null));
            figures.add(figure(group, "memory", "MB", true, 90, FigureTarget.of("userspace", 120)));
        }
        for (String group : List.of("HTTP, kept-alive connections", "HTTP, a connection for each request")) {
            figures.add(
                    figure(group, "requests", "1/s", false, 118_000, FigureTarget.ratio("iptables", "direct", 0.8)));
            figures.add(figure(group, "99th percentile", "us", true, 410, null));
            figures.add(figure(group, "CPU time for 1000 requests", "ms", true, 12, null));
        }
        return new SuiteResult(
                "userspace",
                "The relay carries 0.74 of the direct path's bytes and 0.47 of its requests; HAProxy 0.49 and 0.52.",
                figures,
                List.of(latency("Latency at 20 000 requests/s"), latency("Latency at 40 000 requests/s")),
                List.of(),
                List.of(
                        "nginx: version 1.22.1 (Debian package nginx-light with libnginx-mod-stream).",
                        "Open loop: a request's time counts from when it was due, not from when it was sent."),
                Map.of("haproxy", "HAProxy version 2.6.12-1+deb12u2 2025/04/29"),
                "scripts/nodepath bench userspace",
                Optional.of(answers()),
                Optional.of(cluster()),
                false);
    }

    private static List<PathAnswers> answers() {
        List<PathAnswers> answers = new ArrayList<>();
        Map<String, Integer> pods = Map.of("web-1", 30, "a-pod-of-a-long-name", 30);
        for (String contender : List.of("direct", "userspace", "userspace, kept", "iptables", "nftables")) {
            for (String path : List.of("pod, same node", "outside, NodePort")) {
                boolean outside = path.startsWith("outside");
                String own = outside ? "172.30.0.254" : "10.244.1.4";
                boolean kept = contender.equals("direct") || (!outside && !contender.equals("userspace"));
                answers.add(new PathAnswers(
                        contender, path, pods, kept ? Map.of(own, 60) : Map.of("10.244.1.1", 20, "172.30.0.11", 40)));
            }
        }
        return answers;
    }

    private static ClusterMap cluster() {
        ClusterMap.Place client = new ClusterMap.Place("client", "172.30.0.254", "outside, NodePort", false);
        return new ClusterMap(
                "172.30.0.0/24",
                List.of(
                        node("n1", 1, new ClusterMap.Place("client-1", "10.244.1.4", "pod, same node", false)),
                        node("node-of-a-long-name", 2, ClusterMap.Place.of("a-pod-of-a-long-name", "10.244.2.4"))),
                List.of(client));
    }

    private static ClusterMap.Node node(String name, int number, ClusterMap.Place pod) {
        String net = "10.244." + number + ".";
        return new ClusterMap.Node(
                new ClusterMap.Place(name, "172.30.0.1" + number, number == 1 ? "node itself" : "", false),
                ClusterMap.Place.of("cni0", net + "1"),
                List.of(pod, new ClusterMap.Place("web-" + number, net + "2", "", true)));
    }

    private SuiteResult scale() {
        Map<String, List<Curve.Point>> first = new LinkedHashMap<>();
        Map<String, List<Curve.Point>> rate = new LinkedHashMap<>();
        for (String contender : List.of("userspace", "iptables", "kube-proxy-iptables")) {
            List<Curve.Point> latencies = new ArrayList<>();
            List<Curve.Point> rates = new ArrayList<>();
            for (int services : new int[] {1, 100, 1000, 5000}) {
                double base = contender.equals("userspace") ? 190 : 60 + services * 0.05;
                latencies.add(new Curve.Point(services, samples(base)));
                rates.add(new Curve.Point(services, samples(1e6 / base)));
            }
            first.put(contender, latencies);
            rate.put(contender, rates);
        }
        return new SuiteResult(
                "scale",
                "A first packet takes 190 us whatever the number of Services in userspace mode, 310 us at 5000 in iptables mode.",
                List.of(),
                List.of(
                        new Curve("First packet", "Services", "us", Curve.Kind.SCALE_LOG_LOG, first),
                        new Curve("New connections", "Services", "1/s", Curve.Kind.SCALE_LOG_LOG, rate)),
                List.of(),
                List.of(),
                Map.of(),
                "scripts/nodepath bench scale",
                false);
    }

    private SuiteResult cni() {
        List<Figure> figures = new ArrayList<>();
        for (String what : List.of("ADD", "DEL", "20 ADDs at once", "ADD beside 10000 addresses")) {
            Map<String, Samples> values = new LinkedHashMap<>();
            values.put("served", samples(4));
            values.put("standalone", what.equals("ADD") ? samples(112) : Samples.of(Double.NaN, Double.NaN));
            values.put("debian", samples(9));
            figures.add(new Figure(
                    "", what, "ms", true, "debian", values, Optional.of(FigureTarget.ratio("served", "debian", 0.6))));
        }
        figures.add(new Figure(
                "",
                "VERSION beyond a process that does nothing",
                "ms",
                true,
                "",
                Map.of("served", Samples.of(-0.2, 0.05, 0.1, 0.02, 0.3)),
                Optional.of(FigureTarget.of("served", 1))));
        return new SuiteResult(
                "cni",
                "A served ADD takes 4.0 ms, 0.44 of Debian's.",
                figures,
                List.of(),
                List.of(
                        new Check("served", "DEL leaves no veth", true, "nothing left"),
                        new Check("standalone", "a < b & \"c\"", false, "d > e")),
                List.of(),
                Map.of(),
                "scripts/nodepath bench cni",
                false);
    }

    private Figure figure(
            String group,
            String what,
            String unit,
            boolean lowerIsBetter,
            double value,
            @org.jspecify.annotations.Nullable FigureTarget target) {
        Map<String, Samples> values = new LinkedHashMap<>();
        double factor = 1;
        for (String contender : PROXIES) {
            values.put(contender, samples(value * factor));
            factor *= lowerIsBetter ? 1.35 : 0.8;
        }
        return new Figure(group, what, unit, lowerIsBetter, "direct", values, Optional.ofNullable(target));
    }

    private Curve latency(String what) {
        Map<String, List<Curve.Point>> curves = new LinkedHashMap<>();
        double factor = 1;
        for (String contender : PROXIES) {
            List<Curve.Point> points = new ArrayList<>();
            for (double percentile : new double[] {0, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99}) {
                double tail = Math.pow(1 / (1 - percentile / 100), 0.55);
                points.add(new Curve.Point(percentile, samples(80 * factor * tail)));
            }
            curves.put(contender, points);
            factor *= contender.equals("direct") ? 1.02 : 1.5;
        }
        return new Curve(what, "percentile", "us", Curve.Kind.LATENCY_PERCENTILES, curves);
    }

    private Samples samples(double about) {
        List<Double> values = new ArrayList<>();
        for (int round = 0; round < 5; round++) {
            values.add(about * (0.95 + random.nextDouble() * 0.1));
        }
        return new Samples(values);
    }
}
