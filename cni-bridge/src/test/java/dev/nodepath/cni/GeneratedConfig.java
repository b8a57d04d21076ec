package dev.nodepath.cni;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A configuration drawn at random out of the options that Debian's bridge 1.1.1 and the kernel of any test machine
 * have.
 */
final class GeneratedConfig {
    private final List<String> members = new ArrayList<>();
    private final String arguments;

    GeneratedConfig(Random random) {
        boolean addresses = random.nextInt(5) > 0;
        List<String> versions = addresses
                ? List.of("0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.0.0")
                : List.of("0.2.0", "0.3.1", "0.4.0", "1.0.0");
        members.add("\"cniVersion\":\"" + versions.get(random.nextInt(versions.size())) + "\"");
        members.add("\"name\":\"side-by-side\",\"type\":\"bridge\"");
        for (String option :
                List.of("isGateway", "isDefaultGateway", "forceAddress", "ipMasq", "hairpinMode", "macspoofchk")) {
            if (random.nextInt(3) == 0) {
                members.add("\"" + option + "\":" + (random.nextInt(8) > 0));
            }
        }
        if (random.nextInt(6) == 0) {
            members.add("\"promiscMode\":true");
        }
        maybe(random, "\"bridge\":\"br" + random.nextInt(10) + "\"");
        maybe(random, "\"mtu\":" + (1280 + random.nextInt(200)));
        maybe(random, "\"dns\":{\"nameservers\":[\"10.96.0.10\"],\"search\":[\"a.b\"]}");
        maybe(random, "\"RuntimeConfig\":{\"mac\":\"02:00:00:00:00:07\"}");
        maybe(random, "\"args\":{\"cni\":{\"mac\":\"02:00:00:00:00:08\"}}");
        maybe(random, "\"unknown\":{\"a\":[1,null]}");
        arguments = random.nextInt(3) == 0 ? "IgnoreUnknown=1;K8S_POD_NAME=p;MAC=02:00:00:00:00:09" : "";
        members.add(
                addresses
                        ? "\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"DATADIR\"," + ranges(random, twoNetworks())
                                + "}"
                        : "\"ipam\":{}");
    }

    String arguments() {
        return arguments;
    }

    String json(Path dataDir) {
        return "{" + String.join(",", members).replace("DATADIR", dataDir.toString()) + "}";
    }

    private void maybe(Random random, String member) {
        if (random.nextInt(4) == 0) {
            members.add(member);
        }
    }

    /**
     * Where gateways in two IPv4 networks can be compared: with forceAddress upstream replaces the first by the
     * second, and with ipMasq its DEL may fail because both addresses share a chain.
     */
    private boolean twoNetworks() {
        return members.stream().noneMatch(member -> member.matches(".*(forceAddress|ipMasq).*"));
    }

    private static String ranges(Random random, boolean twoNetworks) {
        String ipv4 = "\"subnet\":\"10." + random.nextInt(200) + ".0.0/" + (16 + random.nextInt(14)) + "\"";
        String start =
                random.nextInt(3) == 0 ? ",\"gateway\":\"" + ipv4.substring(10, ipv4.indexOf(".0.0/")) + ".0.2\"" : "";
        String ipv6 = "\"subnet\":\"fd00:" + random.nextInt(1000) + "::/64\"";
        String routes =
                random.nextInt(2) == 0 ? ",\"routes\":[{\"dst\":\"0.0.0.0/0\"},{\"dst\":\"192.168.0.0/16\"}]" : "";
        return switch (random.nextInt(6)) {
            case 0 -> ipv6;
            case 1 -> "\"ranges\":[[{" + ipv4 + start + "}],[{" + ipv6 + "}]]" + routes;
            case 2 -> "\"ranges\":[[{" + ipv4 + "},{\"subnet\":\"172.20.0.0/24\"}]]" + routes;
            case 3 -> twoNetworks ? "\"ranges\":[[{" + ipv4 + "}],[{\"subnet\":\"172.20.0.0/24\"}]]" : ipv4;
            default -> ipv4 + start + routes;
        };
    }
}
