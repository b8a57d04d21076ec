package dev.nodepath.agent.install;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.Cidr;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConflistTest {
    private static Conflist conflist(Optional<Integer> mtu, Optional<List<String>> portmap) {
        return new Conflist(
                List.of(Cidr.parse("10.244.1.0/24"), Cidr.parse("fd00:10:244:1::/64")),
                mtu,
                Path.of("/run/nodepath/ipam"),
                Path.of("/etc/cni/net.d/10-nodepath.policies"),
                true,
                portmap);
    }

    @Test
    void bothFamiliesAndHostPorts() {
        assertThat(conflist(Optional.of(1450), Optional.of(List.of("0.3.0", "0.3.1", "0.4.0", "1.0.0")))
                        .text())
                .isEqualTo("""
                {
                  "cniVersion" : "1.0.0",
                  "cniVersions" : [ "0.3.1", "0.4.0", "1.0.0" ],
                  "name" : "nodepath",
                  "plugins" : [ {
                    "type" : "nodepath-bridge",
                    "bridge" : "cni0",
                    "isDefaultGateway" : true,
                    "hairpinMode" : true,
                    "bridgeNetfilter" : true,
                    "policyMark" : "/etc/cni/net.d/10-nodepath.policies",
                    "ipspoofchk" : true,
                    "mtu" : 1450,
                    "ipam" : {
                      "type" : "host-local",
                      "dataDir" : "/run/nodepath/ipam",
                      "ranges" : [ [ {
                        "subnet" : "10.244.1.0/24"
                      } ], [ {
                        "subnet" : "fd00:10:244:1::/64"
                      } ] ]
                    }
                  }, {
                    "type" : "portmap",
                    "capabilities" : {
                      "portMappings" : true
                    }
                  } ]
                }""");
    }

    /** Each plugin of the list is called in the version that the runtime has chosen. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0.3.1 0.4.0 1.0.0 1.1.0 | 1.0.0 | 0.3.1, 0.4.0, 1.0.0, 1.1.0",
                "0.1.0 0.2.0 0.3.1 0.4.0 | 0.4.0 | 0.3.1, 0.4.0",
                "1.0.0 9.0.0             | 1.0.0 | 1.0.0",
            })
    void offersOnlyVersionsThatThePortmapSpeaksToo(String spoken, String base, String offered) {
        String text = conflist(
                        Optional.empty(), Optional.of(List.of(spoken.strip().split(" ", -1))))
                .text()
                .replace("\"", "");
        assertThat(text)
                .contains("cniVersion : " + base + ",", "cniVersions : [ " + offered + " ]", "type : portmap")
                .doesNotContain("mtu");
    }

    @Test
    void leavesOutAPortmapThatSpeaksNoVersionOfOurs() {
        Conflist conflist = conflist(Optional.empty(), Optional.of(List.of("0.1.0")));
        assertThat(conflist.chainsPortmap()).isFalse();
        assertThat(conflist.text())
                .contains("\"1.1.0\"", "\"portMappings\" : true")
                .doesNotContain("portmap");
    }

    @Test
    void tellsThePodCidrsOfATextThatStands() {
        Conflist conflist = conflist(Optional.empty(), Optional.of(List.of("1.0.0")));
        assertThat(Conflist.podCidrs(conflist.text() + "\n")).isEqualTo(conflist.podCidrs());
        assertThat(Conflist.podCidrs("")).isEmpty();
        assertThat(Conflist.podCidrs("{\"plugins\" : [ {")).isEmpty();
        assertThat(Conflist.podCidrs("{\"subnet\" : \"all\"}")).isEmpty();
    }
}
