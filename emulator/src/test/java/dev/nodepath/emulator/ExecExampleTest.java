package dev.nodepath.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExecExampleTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Pods are NAMESPACE/NAME=APP, Services NAMESPACE/NAME=APP:PORT. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            default/web-1=web default/web-2=web default/client=x default/a=a | default/a=a:80 default/web=web:80 | a -- curl -s web
            default/web-1=web                        | default/web=web:8080   | web-1 -- curl -s web:8080
            default/x=x                              | default/none=none:80   | x -- hostname
            vote/vote-1=vote vote/db-1=db            | vote/vote=vote:5000    | vote/db-1 -- curl -s vote:5000
            vote/vote-1=vote default/x=x             | vote/vote=vote:80      | vote/vote-1 -- curl -s vote
            kube-system/dns=dns                      | kube-system/dns=dns:53 | n1 -- ip route
            -                                        | default/web=web:80     | n1 -- ip route
            """)
    void fitsWhatRuns(String pods, String services, String expected) {
        List<ObjectNode> allPods = new ArrayList<>();
        for (String each : words(pods)) {
            ObjectNode pod = object(each.split("=", -1)[0]);
            pod.withObjectProperty("metadata").putObject("labels").put("app", each.split("=", -1)[1]);
            allPods.add(pod);
        }
        List<ObjectNode> allServices = new ArrayList<>();
        for (String each : words(services)) {
            String[] parts = each.split("[=:]", -1);
            ObjectNode service = object(parts[0]);
            ObjectNode spec = service.putObject("spec").put("clusterIP", "10.96.0.20");
            spec.putObject("selector").put("app", parts[1]);
            spec.putArray("ports").addObject().put("port", Integer.parseInt(parts[2]));
            allServices.add(service);
        }
        assertThat(ExecExample.of(allPods, allServices, "n1")).isEqualTo(expected);
    }

    private static List<String> words(String text) {
        return text == null ? List.of() : List.of(text.split(" "));
    }

    private static ObjectNode object(String key) {
        ObjectNode object = JSON.createObjectNode();
        object.putObject("metadata").put("namespace", key.split("/", -1)[0]).put("name", key.split("/", -1)[1]);
        return object;
    }
}
