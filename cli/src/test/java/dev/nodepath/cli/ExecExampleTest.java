package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExecExampleTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Pods are NAMESPACE/NAME=APP, Services NAMESPACE/NAME=APP:PORT; a Pod with an app in capitals is not ready. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            default/web-1=web default/web-2=web default/client=x default/a=a | default/a=a:80 default/web=web:80 | a -- curl -s web | a web:80
            default/web-1=web                        | default/web=web:8080   | web-1 -- curl -s web:8080 | web-1 web:8080
            default/x=x                              | default/none=none:80   | x -- hostname | ''
            default/web-1=WEB default/x=x            | default/web=WEB:80     | x -- hostname | ''
            vote/vote-1=vote vote/db-1=db            | vote/vote=vote:5000    | vote/db-1 -- curl -s vote:5000 | vote/db-1 vote.vote:5000
            vote/vote-1=vote default/x=x             | vote/vote=vote:80      | vote/vote-1 -- curl -s vote | vote/vote-1 vote.vote:80
            default/web-1=web default/locked=x default/open=x | default/web=web:80 | open -- curl -s web | open web:80
            default/web-1=locked default/locked=x    | default/web=locked:80  | web-1 -- curl -s web | web-1 web:80
            default/locked=locked                    | default/web=locked:80  | locked -- hostname | ''
            kube-system/dns=dns                      | kube-system/dns=dns:53 | n1 -- ip route | ''
            -                                        | default/web=web:80     | n1 -- ip route | ''
            """)
    void fitsWhatRunsAndAnswers(String pods, String services, String exec, String trace) throws IOException {
        List<ObjectNode> allPods = new ArrayList<>();
        for (String each : words(pods)) {
            ObjectNode pod = object(each.split("=", -1)[0]);
            String app = each.split("=", -1)[1];
            pod.withObjectProperty("metadata").putObject("labels").put("app", app);
            pod.putObject("status")
                    .putArray("conditions")
                    .addObject()
                    .put("type", "Ready")
                    .put("status", app.equals(app.toUpperCase(Locale.ROOT)) ? "False" : "True");
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
        ExecExample example = ExecExample.of(
                allPods,
                allServices,
                "n1",
                (pod, address, port) -> !ObjectKey.of(pod).name().equals("locked"));
        assertThat(example.exec()).isEqualTo(exec);
        assertThat(example.trace()).isEqualTo(trace);
        assertThat(example.program()).isIn("curl", "hostname", "ip");
        assertThat(ExecExample.parse(example.json())).isEqualTo(example);
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
