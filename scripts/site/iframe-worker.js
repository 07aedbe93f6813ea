// iframe-worker.js - search on a page that is opened as a file. Browsers start no worker from there, so its
// script runs in a hidden frame of the page instead. Over http the browser's own workers are used.
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.waiting = [] // messages from before the script was there
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      const start = () => {
        document.body.append(this.frame)
        const inside = this.frame.contentWindow
        const script = inside.document.createElement("script")
        inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", {data}))
        script.src = new URL(url, location.href)
        script.onload = () => {
          this.ready = true
          this.waiting.forEach(data => this.postMessage(data))
        }
        inside.document.body.append(script)
      }
      if (document.body) start()
      else addEventListener("DOMContentLoaded", start)
    }
    postMessage(data) {
      if (!this.ready) return void this.waiting.push(data)
      const inside = this.frame.contentWindow
      inside.dispatchEvent(new inside.MessageEvent("message", {data}))
    }
    terminate() {
      this.frame.remove()
    }
  }
