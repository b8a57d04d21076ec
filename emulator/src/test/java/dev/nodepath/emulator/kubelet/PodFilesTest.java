package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodFilesTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {}                                                                | web-0 | web-0
            {'hostname': 'box'}                                               | box   | box
            {'hostname': 'box', 'subdomain': 'sub'}                           | box   | box.sub.shop.svc.cluster.local\tbox
            {'subdomain': 'sub', 'setHostnameAsFQDN': true} | web-0.sub.shop.svc.cluster.local | web-0.sub.shop.svc.cluster.local\tweb-0
            {'setHostnameAsFQDN': true}                                       | web-0 | web-0
            {'hostNetwork': true, 'nodeName': 'n1'}                           | n1    | web-0
            """)
    void aPodHasTheNameThatItsSpecAsksFor(String spec, String hostname, String names) throws Exception {
        ObjectNode pod = (ObjectNode) new ObjectMapper()
                .readTree("{'metadata': {'namespace': 'shop', 'name': 'web-0'}, 'spec': ".replace('\'', '"')
                        + spec.replace('\'', '"') + "}");
        PodFiles files = new PodFiles(folder);
        files.write(pod, List.of("10.244.1.5"), Optional.of("10.96.0.10"));
        assertThat(files.hostname()).hasContent(hostname);
        assertThat(Files.readString(files.hosts())).contains("10.244.1.5\t" + names + "\n");
    }
}
